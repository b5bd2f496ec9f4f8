import { newFolder, rounds } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { type NewPet, type Operation, operations } from '@petstore/types';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rejectingMalformed } from '../../src/app.ts';
import { allCollections } from '../../src/collections.ts';
import { expressApp } from '../../src/http/express-app.ts';
import { fastPath, generatedCheck } from '../../src/http/fast-path.ts';
import { type Listener, listen } from '../../src/http/listen.ts';
import { type AppOptions, createPipeline } from '../../src/http/request-pipeline.ts';
import { keyCheck } from '../../src/keys/check-keys.ts';
import { parseKeys } from '../../src/keys/parse-keys.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Store } from '../../src/store/store.ts';
import { listenOptions } from '../listen.ts';
import { randomRequests } from './random-requests.ts';
import { raw } from './wire.ts';

/** A server over a store of its own, with the inputs that its operations got, and the number of requests that it served without Express. */
interface Side {
  listener: Listener;
  store: Store;
  inputs: unknown[];
  withoutExpress: number;
}

const NUM_RUNS = rounds(500, 1500);
const options: AppOptions = { keys: keyCheck(parseKeys(apiKey)), bodyLimit: 2000, corsOrigins: ['https://shop.test'] };
const folders = [newFolder('store', afterAll), newFolder('store', afterAll)] as const;
let fast: Side;
let express: Side;
beforeAll(async () => {
  [fast, express] = [await start(true, folders[0]), await start(false, folders[1])];
});
afterAll(async () => {
  for (const { listener, store } of [fast, express]) {
    await listener.drain(0);
    await store.close();
  }
});

async function start(withFastPath: boolean, folder: string): Promise<Side> {
  const store = await openLowdbStore(folder, allCollections);
  for (const pet of pets) await store.collection('pets').create({ ...pet });
  const inputs: unknown[] = [];
  const pipeline = createPipeline(store, options);
  const { dispatch } = pipeline;
  pipeline.dispatch = (call) => {
    inputs.push({ operation: call.operation.id, input: { ...call.input }, key: call.context.keyName });
    return dispatch(call);
  };
  const side: Side = {
    store,
    inputs,
    withoutExpress: 0,
    listener: await listen((request, response) => app(request, response), listenOptions),
  };
  const expressListener = expressApp(pipeline);
  const slow = rejectingMalformed(pipeline, expressListener);
  const fastOrExpress = fastPath(pipeline, (request, response) => {
    side.withoutExpress--;
    expressListener(request, response);
  });
  const app: typeof fastOrExpress = (request, response) => {
    side.withoutExpress++;
    if (withFastPath) fastOrExpress(request, response);
    else slow(request, response);
  };
  return side;
}

const statuses = [...operations.listPets.fields.status.schema.enum, undefined];
const pets: NewPet[] = Array.from({ length: 150 }, (_, i) => {
  const status = statuses[i % statuses.length];
  return { name: `Ünï "${i}" \n ${'🐈'.repeat(i % 3)}`, categoryId: i - 75, ...(status && { status }) };
});

/** A response without values that differ from request to request or from store to store. */
async function responseOf({ listener }: Side, bytes: Uint8Array) {
  const { status, headers, body } = await raw(listener.origin, bytes);
  const comparable = [...headers]
    .filter(([name]) => name !== 'date')
    .map(([name, value]) => {
      if (name === 'etag') return [name, value.replace(/"\w+-/, '"')];
      return [name, name === 'x-request-id' ? value.replace(/^[\da-f-]{36}$/, 'a new one') : value];
    });
  return { status, headers: comparable, body };
}

test('the fast path responds with the same bytes as the Express app', async () => {
  await fc.assert(
    fc.asyncProperty(randomRequests(apiKey), async (bytes) => {
      fast.inputs.length = express.inputs.length = 0;
      const expected = await responseOf(express, bytes);
      expect(await responseOf(fast, bytes)).toEqual(expected);
      expect(fast.inputs).toEqual(express.inputs);
    }),
    { numRuns: NUM_RUNS },
  );
  // Otherwise the test would compare nothing.
  expect(fast.withoutExpress).toBeGreaterThan(NUM_RUNS / 8);
}, 120_000);

test('every operation has a fast path', () => {
  for (const operation of Object.values<Operation>(operations)) expect(generatedCheck(operation)).toBeDefined();
});
