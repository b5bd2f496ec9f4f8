// The contract over every store, by requests sent both ways and by the client.
import { petstore } from '@petstore/client';
import { fakePetstore } from '@petstore/client/testing';
import { isDeep, newFolder } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import {
  type Api,
  type Arguments,
  exactJson,
  type Operation,
  type OperationId,
  operations,
  service,
} from '@petstore/types';
import { beforeEach, describe, onTestFinished } from 'vitest';
import { memoryStore, openLowdbStore, openPostgresStore, type Store } from '../src/index.ts';
import { contract } from './contract.ts';
import { describeOnSchema } from './databases.ts';
import { bothWays, listenForSuite, type SendBothWays } from './listening.ts';
import { json, key, request } from './wire.ts';

const codeOf = (error: unknown) => (error as { code?: unknown }).code ?? error;
const closing = (store: Store) => {
  onTestFinished(() => store.close());
  return store;
};

describe('the server over a store in memory', () => byRequests(async () => memoryStore()));
describe('the server over a data folder', () =>
  byClient(async () => closing(await openLowdbStore(newFolder()))));
if (isDeep)
  // A new schema for each test takes long.
  describeOnSchema('the server over PostgreSQL', (newSchema) =>
    byClient(async () => closing(await openPostgresStore(await newSchema()))),
  );

describe("the client's fake service", () => {
  contract(async () => ({
    api: fakePetstore().store.withOptions({ on: { deprecated: false } }),
    codeOf,
  }));
});

function byRequests(newStore: () => Promise<Store>) {
  describe('by plain requests, in both modes', () => {
    const send = bothWays({}, () => renewed(newStore));
    contract(async () => ({ api: overHttp(send), codeOf }));
  });
}

function byClient(newStore: () => Promise<Store>) {
  describe('by the client', () => {
    const server = listenForSuite({}, renewed(newStore));
    contract(async () => ({
      api: petstore({ baseUrl: server().baseUrl, apiKey, on: { deprecated: false } }),
      codeOf,
    }));
  });
}

/** A store that is a new one in each test of the suite, so that one server serves them all. */
function renewed(newStore: () => Promise<Store>): Store {
  let store: Store;
  beforeEach(async () => {
    store = await newStore();
  });
  return {
    ...memoryStore(),
    collection: (...which) => ({
      create: (document) => store.collection(...which).create(document),
      replace: (id, document) => store.collection(...which).replace(id, document),
      remove: (id) => store.collection(...which).remove(id),
      get: (id) => store.collection(...which).get(id),
      list: (query) => store.collection(...which).list(query),
    }),
  };
}

/** Calls the service by requests from the operations table, not by the client, whose faults could hide those of the server. */
function overHttp(send: SendBothWays): Api {
  const call =
    (id: OperationId) =>
    async (...[input = {}]: Arguments<OperationId>) => {
      const operation: Operation = operations[id];
      const { status, body } = await send(requestOf(operation, input));
      const data: unknown = body === '' ? undefined : JSON.parse(body, exactInteger);
      if (operation.successes.includes(String(status))) return data;
      throw Object.assign(new Error('The server refused.'), data);
    };
  // `fromEntries` loses the type of each function.
  return Object.fromEntries(
    Object.keys(operations).map((id) => [id, call(id as OperationId)]),
  ) as Api;
}

function requestOf({ method, path, fields, body }: Operation, input: object): Uint8Array {
  let target = service.basePath + path;
  const query = new URLSearchParams();
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const place = fields[name]?.in;
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'query') query.append(name, String(value));
    else properties[name] = value;
  }
  const line = `${method} ${target}?${query}`;
  if (!body) return request(line, key);
  return request(line, { ...key, ...json }, exactJson(properties));
}

/** `parseExact` could hide what the server sends, because the server uses it, too. */
function exactInteger(
  _key: string,
  value: unknown,
  { source = '' }: { source?: string } = {},
): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value;
}
