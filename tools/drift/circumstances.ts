// What no request to a healthy server gets: 409, 429, 500 and 503 are provoked, and the life of an idempotency key passes.
import { type Handlers, handlers, memoryStore } from '@petstore/server';
import { type Attempt, type Cases, caseOf } from './cases.ts';
import type { Context, Exchange } from './exchange.ts';
import { expectEqual } from './expect.ts';
import type { Operation } from './interface.ts';
import { withServer } from './running.ts';

export async function checkCircumstances(context: Context, cases: Cases): Promise<void> {
  await checkFailures(context, cases);
  await checkRate(context, cases);
  for (const operation of context.spec.operations)
    if (operation.idempotencyKey) {
      await checkOverlap(context, cases, operation);
      await checkRepetitions(context, cases, operation);
    }
}

/** Handlers that fail get 500, and a store that is not open gets 503. */
async function checkFailures(context: Context, cases: Cases): Promise<void> {
  const { operations } = context.spec;
  const failing = around(() => {
    throw new Error('a failure that the drift check provokes');
  });
  await withServer(context, { options: { handlers: failing } }, async (server) => {
    for (const operation of operations)
      await expectStatus(server, cases, operation, 'a handler that fails', 500);
  });
  const never = new Promise<never>(() => {});
  await withServer(context, { store: never }, async (server) => {
    for (const operation of operations)
      await expectStatus(server, cases, operation, 'a store that is not open', 503);
    const { status } = await server.get('/readyz');
    expectEqual(context.report, 'GET /readyz before the store is open: the status', status, 503);
  });
}

async function checkRate(context: Context, cases: Cases): Promise<void> {
  const { operations, basePath } = context.spec;
  await withServer(context, { options: { rateLimit: 1 } }, async (server) => {
    await server.get(`${basePath}/no-such-path`);
    for (const operation of operations)
      await expectStatus(server, cases, operation, 'a key beyond its rate', 429);
  });
}

/** While a request with a key is running, another one with its key gets 409. */
async function checkOverlap(context: Context, cases: Cases, operation: Operation): Promise<void> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const waiting = around(async (handle) => {
    entered.resolve();
    await released.promise;
    return handle();
  });
  await withServer(context, { options: { handlers: waiting } }, async (server) => {
    const attempt = keyed(cases, operation, 'overlapping');
    const first = server.attempt(attempt);
    await Promise.race([entered.promise, first]);
    const overlapping = {
      ...attempt,
      what: 'a request that overlaps with the first one',
      statuses: [409],
    };
    const second = server.attempt(overlapping);
    // A server that executes it would wait for this.
    setTimeout(released.resolve, 500).unref();
    await second;
    released.resolve();
    await first;
  });
}

/** A repetition gets the first response until its time has passed. The handler runs once. */
async function checkRepetitions(context: Context, cases: Cases, operation: Operation) {
  const { report } = context;
  const { idempotencyKey, method, path } = operation;
  if (!idempotencyKey) return;
  let executions = 0;
  const counting = around((handle) => {
    executions++;
    return handle();
  });
  const start = Date.UTC(2030, 0, 1);
  let now = start;
  const store = memoryStore({ clock: () => now });
  await withServer(context, { store, options: { handlers: counting } }, async (server) => {
    for (const key of cases.values.valid(idempotencyKey.schema)) {
      now = start;
      const attempt = keyed(cases, operation, String(key));
      const name = `${method} ${path} with a repeated ${idempotencyKey.name}`;
      const first = await server.attempt({ ...attempt, what: `the key ${key}` });
      executions = 0;
      const replay = async (after: string) => {
        const answer = await server.attempt(attempt);
        expectEqual(report, `${name}, ${after}: the response`, answer.data, first.data);
        expectEqual(report, `${name}, ${after}: the status`, answer.status, first.status);
        const mark = answer.headers.get('idempotency-replayed');
        expectEqual(report, `${name}, ${after}: Idempotency-Replayed`, mark, 'true');
      };
      await replay('at once');
      await checkReuse(server, cases, attempt, String(key));
      now = start + idempotencyKey.hours * 3_600_000 - 1_000;
      await replay(`before its ${idempotencyKey.hours} hours have passed`);
      expectEqual(report, `${name}: the executions`, executions, 0);
      now = start + idempotencyKey.hours * 3_600_000 + 1_000;
      await server.attempt({ ...attempt, what: 'a key whose time has passed' });
      const when = `after ${idempotencyKey.hours} hours`;
      expectEqual(report, `${name}, ${when}: the executions`, executions, 1);
    }
  });
}

/** Another request with a key that is in use gets 422. */
async function checkReuse(server: Exchange, cases: Cases, { operation }: Attempt, key: string) {
  const [least, ...others] = cases.valid(operation);
  const other = others.find(
    ({ inputs }) => inputs.body !== undefined && inputs.body !== least.inputs.body,
  );
  if (!other) return;
  const attempt = keyed(cases, operation, key, other.inputs.body);
  await server.attempt({ ...attempt, what: 'a key of another request', statuses: [422] });
}

/** The least request of an operation with an idempotency key. */
function keyed(cases: Cases, operation: Operation, key: string, body?: unknown): Attempt {
  const [{ inputs }] = cases.valid(operation);
  const name = String(operation.idempotencyKey?.name);
  const parameters = { ...inputs.parameters, [name]: key };
  return caseOf(operation, { parameters, body: body ?? inputs.body });
}

async function expectStatus(
  server: Exchange,
  cases: Cases,
  operation: Operation,
  what: string,
  status: number,
): Promise<void> {
  const [least] = cases.valid(operation);
  await server.attempt({ ...least, what, statuses: [status], isAboutInputs: false });
}

type Handler = (...args: unknown[]) => unknown;

/** The handlers of the server, each within a function. */
function around(wrap: (handle: () => unknown) => unknown): Partial<Handlers> {
  const wrapped = Object.entries(handlers).map(([id, handler]) => {
    const handle = handler as Handler;
    return [id, (...args: unknown[]) => wrap(() => handle(...args))];
  });
  return Object.fromEntries(wrapped);
}
