import { PetstoreError, petstore } from '@petstore/client';
import { fakeService } from '@petstore/client/testing';
import { newFolder } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { type Api, type Arguments, exactJson, type Operation, type OperationId, operations } from '@petstore/types';
import { beforeEach, describe, onTestFinished } from 'vitest';
import { memoryStore, openLowdbStore, type Store } from '../src/index.ts';
import { contract } from './contract.ts';
import { listenForSuite, modes } from './listening.ts';

const stores = {
  'in memory': async () => memoryStore(),
  'in a data folder': async () => {
    const store = await openLowdbStore(newFolder());
    onTestFinished(() => store.close());
    return store;
  },
};

describe.each(Object.entries(stores))('the server over a store %s', (_, newStore) => {
  describe.each(modes)('%s', (_, options) => {
    let store: Store;
    beforeEach(async () => {
      store = await newStore();
    });
    // One server for all tests, over a new store for each.
    const current: Store = {
      collection: (name, key) =>
        new Proxy({} as ReturnType<Store['collection']>, {
          get: (_, member) => Reflect.get(store.collection(name, key), member),
        }),
      nextId: (name) => store.nextId(name),
      restore: (...all) => store.restore(...all),
      check: () => store.check(),
      forgottenKeys: () => store.forgottenKeys(),
      close: () => store.close(),
    };
    const server = listenForSuite(options, current);

    describe('by plain requests', () => {
      contract(async () => ({
        api: overHttp(server().baseUrl),
        codeOf: (error) => (error instanceof Refusal ? error.code : error),
      }));
    });

    describe('by the client', () => {
      contract(async () => ({
        api: petstore({ baseUrl: server().baseUrl, apiKey }),
        codeOf: (error) => (error instanceof PetstoreError ? error.code : error),
      }));
    });
  });
});

describe("the client's fake service", () => {
  contract(async () => ({
    api: fakeService().store,
    codeOf: (error) => (error instanceof PetstoreError ? error.code : error),
  }));
});

class Refusal extends Error {
  readonly code: unknown;

  constructor(code: unknown) {
    super(`The server refused with ${code}.`);
    this.code = code;
  }
}

/** Calls the service by requests from the operations table, not by the client, whose faults could hide those of the server. */
function overHttp(baseUrl: string): Api {
  const call =
    (id: OperationId) =>
    async (...[input = {}]: Arguments<OperationId>) => {
      const { method, path, fields, successes, body }: Operation = operations[id];
      const url = new URL(baseUrl + path);
      const properties: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(input)) {
        const place = fields[name]?.in;
        if (place === 'path') url.pathname = url.pathname.replace(encodeURI(`{${name}}`), String(value));
        else if (place === 'query') url.searchParams.append(name, String(value));
        else properties[name] = value;
      }
      const headers = { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) };
      const response = await fetch(url, { method, headers, ...(body && { body: exactJson(properties) }) });
      const data: unknown = JSON.parse(await response.text(), exactInteger);
      if (successes.includes(String(response.status))) return data;
      throw new Refusal((data as { code?: unknown }).code);
    };
  // `fromEntries` loses the type of each function.
  return Object.fromEntries(Object.keys(operations).map((id) => [id, call(id as OperationId)])) as unknown as Api;
}

function exactInteger(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value;
}
