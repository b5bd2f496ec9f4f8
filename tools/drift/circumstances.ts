// Provokes what no single request to a healthy server gets: 409, 429, 500, 503, and the end of an
// idempotency key.
import { type Handlers, handlers, memoryStore } from '@petstore/server';
import { type Attempt, type Cases, caseOf } from './cases.ts';
import { type Context, type RunningServer, type Setting, withServer } from './running-server.ts';
import type { IdempotencyKey, Operation } from './spec.ts';

export async function checkCircumstances(context: Context): Promise<void> {
  const failing = around(() => {
    throw new Error('a failure that the drift check provokes');
  });
  await expectStatus(context, { options: { handlers: failing } }, 'a handler that fails', 500);
  await expectStatus(context, { options: { rateLimit: 1 } }, 'a key beyond its rate', 429);
  const opening = { store: new Promise<never>(() => {}) };
  await expectStatus(context, opening, 'a store that is not open', 503);
  await withServer(context, opening, async (server) => {
    const { status } = await server.get('/readyz');
    context.findings.expect('GET /readyz before the store is open: the status', status, 503);
  });
  for (const operation of context.spec.operations)
    if (operation.idempotencyKey) {
      await checkOverlap(context, operation);
      await checkRepetitions(context, operation, operation.idempotencyKey);
    }
}

/** Checks that a server with this setting gives every operation one status. */
async function expectStatus(
  context: Context,
  setting: Setting,
  what: string,
  status: number,
): Promise<void> {
  const { spec, cases } = context;
  await withServer(context, setting, async (server) => {
    // With a rate of one request, this one uses it up.
    await server.get(`${spec.basePath}/no-such-path`);
    for (const operation of spec.operations) {
      const least = cases.least(operation);
      await server.attempt({ ...least, what, statuses: [status], isAboutInputs: false });
    }
  });
}

/** Checks that a request gets 409 while another one with its key is running. */
async function checkOverlap(context: Context, operation: Operation): Promise<void> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const waiting = around(async (handle) => {
    entered.resolve();
    await released.promise;
    return handle();
  });
  const attempt = keyed(context.cases, operation, 'overlapping');
  const what = 'a request that overlaps with the first one';
  await withServer(context, { options: { handlers: waiting } }, async (server) => {
    const first = server.attempt(attempt);
    await Promise.race([entered.promise, first]);
    const second = server.attempt({ ...attempt, what, statuses: [409] });
    // A server that executes the second request waits for this, and so the check does not hang.
    setTimeout(released.resolve, 500).unref();
    await second;
    released.resolve();
    await first;
  });
}

/**
 * Checks that a repetition gets the first response until the key ends, and that the handler runs
 * once.
 */
async function checkRepetitions(
  context: Context,
  operation: Operation,
  { name, hours, schema }: IdempotencyKey,
): Promise<void> {
  const { cases, findings } = context;
  const expect = findings.expectOf(`${operation.method} ${operation.path} with a repeated ${name}`);
  let executions = 0;
  const counting = around((handle) => {
    executions++;
    return handle();
  });
  const start = Date.UTC(2030, 0, 1);
  const end = start + hours * 3_600_000;
  let now = start;
  const store = memoryStore({ clock: () => now });
  await withServer(context, { store, options: { handlers: counting } }, async (server) => {
    for (const key of cases.values.valid(schema).map(String)) {
      now = start;
      const attempt = keyed(cases, operation, key);
      const first = await server.attempt({ ...attempt, what: `the key ${key}` });
      executions = 0;
      const repeat = async (when: string) => {
        const { data, status, headers } = await server.attempt(attempt);
        expect(`${when}: the response`, data, first.data);
        expect(`${when}: the status`, status, first.status);
        expect(`${when}: Idempotency-Replayed`, headers.get('idempotency-replayed'), 'true');
      };
      await repeat('at once');
      await checkReuse(server, operation, key);
      now = end - 1_000;
      await repeat(`before its ${hours} hours have passed`);
      expect('the executions', executions, 0);
      now = end + 1_000;
      await server.attempt({ ...attempt, what: 'a key whose time has passed' });
      expect(`after ${hours} hours: the executions`, executions, 1);
    }
  });
}

/** Checks that another request with a key that is in use gets 422. */
async function checkReuse(server: RunningServer, operation: Operation, key: string): Promise<void> {
  const { cases } = server.context;
  const [least, ...others] = cases.valid(operation);
  const bodies = others.map(({ inputs }) => inputs.body);
  const other = bodies.find((body) => body !== undefined && body !== least.inputs.body);
  if (other === undefined) return;
  const attempt = keyed(cases, operation, key, other);
  await server.attempt({ ...attempt, what: 'a key of another request', statuses: [422] });
}

/** The least request of an operation, with an idempotency key. */
function keyed(
  cases: Cases,
  operation: Operation,
  key: string,
  body = cases.least(operation).inputs.body,
): Attempt {
  const name = String(operation.idempotencyKey?.name);
  const { parameters } = cases.least(operation).inputs;
  return caseOf(operation, { parameters: { ...parameters, [name]: key }, body });
}

type Handler = (...args: unknown[]) => unknown;

/** The handlers of the server. Each call of one goes through a function. */
function around(wrap: (handle: () => unknown) => unknown): Partial<Handlers> {
  const wrapped = Object.entries(handlers).map(([id, handler]) => {
    const handle = handler as Handler;
    return [id, (...args: unknown[]) => wrap(() => handle(...args))];
  });
  return Object.fromEntries(wrapped);
}
