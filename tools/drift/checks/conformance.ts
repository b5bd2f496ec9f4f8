import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operation, resolve } from '../../openapi/document.ts';
import { NoExampleError } from '../../openapi/examples.ts';
import type { Check, Finding, IsEnough } from '../check.ts';
import { basePathOf, node, specFile } from '../openapi.ts';
import type { Project } from '../project.ts';
import { type Attempt, attemptsFor } from './conformance/attempts.ts';
import { sender } from './conformance/http.ts';
import { pageErrors } from './conformance/pages.ts';
import { pagingErrors } from './conformance/paging.ts';
import { prepare, type Send } from './conformance/preparation.ts';
import { resourceErrors } from './conformance/resources.ts';
import { unknownTargetErrors } from './conformance/targets.ts';
import { undeclared } from './conformance/undeclared.ts';

type Server = typeof import('@petstore/server');
type Store = ReturnType<Server['memoryStore']>;

const key = 'a-key-that-is-for-the-check';

export const conformance: Check = {
  name: 'conformance',
  guarantee:
    'A running server stores, returns, lists, filters, orders and pages values over the whole range of each property, and replays idempotent requests. It rejects invalid requests and keys with the declared status and code, sends the declared headers, can send each declared status, and serves no undeclared path. Its docs page and its spec files show the whole spec.',
  run: async (project, isEnough = () => false) => {
    const server = await project.load<Server>('@petstore/server');
    const folder = mkdtempSync(join(tmpdir(), 'petstore-drift-'));
    const { memory, whileFailing } = breakable(server);
    const running: Running[] = [];
    let stored: Store | undefined;
    try {
      stored = await server.openLowdbStore(folder);
      const options = { keys: server.keyCheck(server.parseKeys(key)) };
      const begin = (app: RequestListener) => start(server, app, basePathOf(project.spec));
      // One passes on the JSON that its store has, on the fast path; the other responds with the handlers' results, by Express.
      running.push({ ...(await begin(await server.createApp(stored, options))), hasVersions: true });
      running.push({ ...(await begin(await server.createExpressListener(memory, options))), whileFailing });
      const findings: Finding[] = [];
      const stages = [
        async () => (running[0] ? (await pageErrors(project.spec, running[0].get)).map(asShown) : []),
        ...running.map(
          (one) => async () =>
            (await unknownTargetErrors(project.spec, key, one.send, pathWords(project))).map(asFinding),
        ),
        ...[...project.spec.operations].map(
          ([endpoint, operation]) =>
            () =>
              findingsFor(project, endpoint, operation, running, isEnough).catch(withoutExample(endpoint)),
        ),
      ];
      for (const stage of stages) if (!isEnough(findings)) findings.push(...(await stage()));
      return findings;
    } finally {
      await Promise.all(running.map(({ stop }) => stop()));
      await stored?.close();
      rmSync(folder, { recursive: true });
    }
  },
};

/** Path segments in string and regex literals of the server's source, to probe for undeclared routes. */
function pathWords(project: Project): string[] {
  const files = project.list('apps/server/src').filter((file) => file.endsWith('.ts') && !file.includes('/gen/'));
  const found = files.flatMap((file) => [...project.read(file).matchAll(/(?:['"`^]|\\)\/([a-z][\w-]+)/g)]);
  return [...new Set(found.map(([, word = '']) => word))];
}

const asShown = (actual: string): Finding => ({
  where: 'pages',
  actual,
  expected: 'the docs page and the spec files match the spec',
  fix: 'apps/server/src/docs',
});

const asFinding = (actual: string): Finding => ({
  where: 'paths',
  actual,
  expected: 'only operations are served',
  fix: 'apps/server/src/http/express-app.ts',
});

/** The finding where an operation cannot be called, because no valid input is known. */
export function withoutExample(where: string): (error: unknown) => Finding[] {
  return (error) => {
    if (!(error instanceof NoExampleError)) throw error;
    return [
      {
        where,
        actual: error.message,
        expected: 'a valid input can be generated from the schema',
        fix: `give an example in ${specFile}`,
      },
    ];
  };
}

/** A server, and what its store can do. */
interface Running {
  readonly send: Send;
  get(path: string): Promise<Response>;
  stop(): Promise<unknown>;
  readonly hasVersions?: true;
  /** Does something while each call of the store fails. */
  readonly whileFailing?: (work: () => Promise<void>) => Promise<void>;
}

async function findingsFor(
  project: Project,
  endpoint: string,
  operation: Operation,
  servers: readonly Running[],
  isEnough: IsEnough,
): Promise<Finding[]> {
  const { spec } = project;
  const findings: Finding[] = [];
  const finding = (where: string, actual: string, expected: string) =>
    findings.push({ where, actual, expected, fix: 'the server in apps/server/src, or spec/openapi.yaml' });
  const statuses = new Set<number>();
  const attempt = async ({ what, request, accepts, expected }: Attempt, send: Send) => {
    const response = await send(request);
    statuses.add(response.status);
    if (!accepts(response.status)) finding(endpoint, `the response to ${what} is ${response.status}`, expected);
    for (const violation of await undeclared(spec, operation, response))
      finding(
        `${endpoint} ${response.status}`,
        `${violation}, in the response to ${what}`,
        'the spec declares everything in the response',
      );
  };
  for (const { send, hasVersions, whileFailing } of servers) {
    const attempts = () =>
      prepare(spec, operation, key, send).then((found) => attemptsFor(spec, operation, key, found));
    const isRead = operation.method === 'GET';
    let made = await attempts();
    for (const wrong of isRead
      ? await pagingErrors(spec, operation, key, await prepare(spec, operation, key, send), send)
      : [])
      finding(endpoint, wrong, 'following x-pagination returns every element once');
    for (const wrong of isEnough(findings) ? [] : await resourceErrors(spec, operation, key, send))
      finding(endpoint, wrong, 'created elements appear in the list, as they were sent');
    for (const [i, { needsFailingStore, needsVersions }] of made.entries()) {
      if (isEnough(findings)) return findings;
      if ((needsFailingStore && !whileFailing) || (needsVersions && !hasVersions)) continue;
      // A write may have used up what was prepared.
      if (i > 0 && !isRead) made = await attempts();
      const one = made[i];
      if (one) await (needsFailingStore ? whileFailing?.(() => attempt(one, send)) : attempt(one, send));
    }
  }
  for (const status of Object.keys(operation.object.responses ?? {}))
    if (!canBeSent(project, operation, status, statuses))
      finding(
        `${endpoint} ${status}`,
        'no request got this status, and the server mentions neither the status nor its error codes',
        'the server can send this status',
      );
  return findings;
}

/** Whether a declared status was seen; where a request cannot be known from the spec, whether the server names it. */
function canBeSent(project: Project, operation: Operation, status: string, seen: ReadonlySet<number>): boolean {
  if (status === 'default' || status.startsWith('x-')) return true;
  const isSame = (one: number) => new RegExp(`^${status.replace(/XX$/i, '..')}$`).test(String(one));
  if ([...seen].some(isSame)) return true;
  // x-unreachable documents that a proxy sends this status, not the service.
  const { 'x-unreachable': reason } = node(resolve(project.spec, node(node(operation.object.responses)[status])));
  if (typeof reason === 'string' && reason !== '') return true;
  const successes = Object.keys(operation.object.responses ?? {}).filter((one) => one.startsWith('2'));
  if (successes.length === 1 && status.startsWith('2')) return false;
  const { statuses } = project.spec.model.service;
  const codes = Object.keys(statuses).filter((code) => statuses[code] !== undefined && isSame(statuses[code]));
  const sources = project.list('apps/server/src').map(project.read).join('\n');
  return codes.some((code) => sources.includes(`'${code}'`)) || new RegExp(`\\b${status}\\b`).test(sources);
}

/** A store in memory, every method of which can be made to fail for a while. */
function breakable({ memoryStore, StoreUnavailableError }: Server) {
  let failing = false;
  const failable = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const property = Reflect.get(target, name);
        if (typeof property !== 'function') return property;
        return (...args: unknown[]) =>
          failing ? Promise.reject(new StoreUnavailableError('for the check')) : property.apply(target, args);
      },
    });
  const store = memoryStore();
  const memory: Store = { ...failable(store), collection: (name) => failable(store.collection(name)) };
  const whileFailing = async (work: () => Promise<void>) => {
    failing = true;
    await work().finally(() => {
      failing = false;
    });
  };
  return { memory, whileFailing };
}

async function start({ listen }: Server, app: RequestListener, basePath: string) {
  const limits = { maxConnections: 100, headersTimeout: 5_000, requestTimeout: 5_000 };
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  const { send, close } = sender(listener.origin + basePath);
  const get = (path: string) => fetch(listener.origin + path);
  const stop = async () => {
    close();
    await listener.drain(0);
  };
  return { send, get, stop };
}
