import { type Operation, resolve } from '../../openapi/document.ts';
import { type Check, type Finding, requiringExamples } from '../check.ts';
import { node } from '../openapi.ts';
import { type Project, sourcesIn } from '../project.ts';
import { docsPageErrors } from './conformance/docs-page.ts';
import { resourceReplayErrors } from './conformance/repetition.ts';
import { listErrors } from './conformance/resources.ts';
import { responseViolations } from './conformance/responses.ts';
import { prepare, type Service, startServers } from './conformance/service.ts';
import { type TestRequest, testRequestsFor } from './conformance/test-requests.ts';
import { unknownPathErrors } from './conformance/unknown-paths.ts';

export const conformance: Check = {
  name: 'conformance',
  guarantee:
    'A running server stores, returns, lists, filters, orders and pages values over the whole range of each property, and replays idempotent requests. It rejects invalid requests and keys with the declared status and code, sends the declared headers, can send each declared status, and serves no undeclared path. Its docs page and its spec files show the whole spec.',
  async *run(project) {
    const server = await import('@petstore/server/internal');
    await using running = await startServers(server, project.spec);
    // The operations run first, because they find most errors.
    for (const [endpoint, operation] of project.spec.operations)
      yield* requiringExamples(endpoint, operationFindings(project, endpoint, operation, running.services));
    const [paths, fix] = [pathsIn(project), 'apps/server/src/http/express-app.ts'];
    for (const service of running.services)
      for await (const actual of unknownPathErrors(service, paths))
        yield { where: 'paths', actual, expected: 'only operations are served', fix };
    for await (const actual of docsPageErrors(running.services[0]))
      yield { where: 'pages', actual, expected: 'the pages match the spec', fix: 'apps/server/src/docs' };
  },
};

/** Paths in string literals, and path segments in regex literals, of the server's source, to probe for undeclared routes. */
function pathsIn(project: Project): string[] {
  const files = project.list('apps/server/src').filter((file) => file.endsWith('.ts') && !file.includes('/gen/'));
  const literals = files
    .map(project.read)
    .join('\n')
    .match(/(?<=(?:['"`^]|\\)\/)[a-z][\w-]+(?:\/[\w-]+)*/g);
  return [...new Set(literals)];
}

async function* operationFindings(
  project: Project,
  endpoint: string,
  operation: Operation,
  services: readonly Service[],
): AsyncGenerator<Finding> {
  const fix = 'the server in apps/server/src, or spec/openapi.yaml';
  const finding = (where: string, actual: string, expected: string): Finding => ({ where, actual, expected, fix });
  const statuses = new Set<number>();
  for (const service of services) {
    for await (const [{ label, accepts, expected }, response] of responsesOf(service, operation)) {
      const { status } = response;
      statuses.add(status);
      if (!accepts(status)) yield finding(endpoint, `the response to ${label} is ${status}`, expected);
      for (const violation of await responseViolations(service.spec, operation, response)) {
        const actual = `${violation}, in the response to ${label}`;
        yield finding(`${endpoint} ${status}`, actual, 'the spec declares everything in the response');
      }
    }
    for await (const error of resourceReplayErrors(service, operation))
      yield finding(endpoint, error, 'a request that is repeated with its idempotency key gets the first response');
    if (operation.method !== 'GET') continue;
    for await (const error of listErrors(service, operation))
      yield finding(endpoint, error, 'created elements appear in the list, as they were sent, and each once');
  }
  const unsent = 'no request got this status, and the server mentions neither the status nor its error codes';
  for (const status of Object.keys(operation.object.responses ?? {}))
    if (!canBeSent(project, operation, status, statuses))
      yield finding(`${endpoint} ${status}`, unsent, 'the server can send this status');
}

/** Sends the test requests of an operation. Generates each with its response. */
async function* responsesOf(service: Service, operation: Operation): AsyncGenerator<[TestRequest, Response]> {
  const prepared = async () => [...testRequestsFor(service, operation, await prepare(service, operation))];
  let requests = await prepared();
  for (const [i, { withFailingStore }] of requests.entries()) {
    if (withFailingStore && !service.whileFailing) continue;
    // A write may have deleted the prepared resource, so it is created again.
    if (i > 0 && operation.method !== 'GET') requests = await prepared();
    const test = requests[i];
    if (!test) continue;
    const send = () => service.send(test.request);
    yield [test, withFailingStore && service.whileFailing ? await service.whileFailing(send) : await send()];
  }
}

/** Whether the server can send a declared status: a response had it, or the server's source names it or one of its codes. */
function canBeSent(project: Project, operation: Operation, status: string, sent: ReadonlySet<number>): boolean {
  if (status === 'default' || status.startsWith('x-')) return true;
  const isInRange = (code: number) => new RegExp(`^${status.replace(/XX$/i, '..')}$`).test(String(code));
  if (sent.values().some(isInRange)) return true;
  // x-unreachable documents that a proxy sends this status, not the service.
  const { 'x-unreachable': reason } = node(resolve(project.spec, node(node(operation.object.responses)[status])));
  if (typeof reason === 'string' && reason !== '') return true;
  const successes = Object.keys(operation.object.responses ?? {}).filter((name) => name.startsWith('2'));
  if (successes.length === 1 && status.startsWith('2')) return false;
  const { statuses } = project.spec.model.service;
  const codes = Object.keys(statuses).filter((code) => statuses[code] !== undefined && isInRange(statuses[code]));
  const sources = sourcesIn(project, 'apps/server/src').join('\n');
  return codes.some((code) => sources.includes(`'${code}'`)) || new RegExp(`\\b${status}\\b`).test(sources);
}
