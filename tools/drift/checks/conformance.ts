import { type Operation, resolve } from '../../openapi/document.ts';
import { type Check, type Finding, type IsEnough, withoutExample } from '../check.ts';
import { node } from '../openapi.ts';
import { type Project, sourcesIn } from '../project.ts';
import { docsPageErrors } from './conformance/docs-page.ts';
import { pagingErrors } from './conformance/paging.ts';
import { resourceErrors } from './conformance/resources.ts';
import { undeclared } from './conformance/responses.ts';
import { withServers } from './conformance/servers.ts';
import { prepare, type Service } from './conformance/service.ts';
import { type TestRequest, testRequestsFor } from './conformance/test-requests.ts';
import { unknownPathErrors } from './conformance/unknown-paths.ts';

export const conformance: Check = {
  name: 'conformance',
  guarantee:
    'A running server stores, returns, lists, filters, orders and pages values over the whole range of each property, and replays idempotent requests. It rejects invalid requests and keys with the declared status and code, sends the declared headers, can send each declared status, and serves no undeclared path. Its docs page and its spec files show the whole spec.',
  run: async (project, isEnough = () => false) => {
    const server = await project.load<typeof import('@petstore/server')>('@petstore/server');
    return withServers(server, project.spec, async (...services) => {
      const findings: Finding[] = [];
      // The operations run first, because they find most errors.
      const stages = [
        ...[...project.spec.operations].map(
          ([endpoint, operation]) =>
            () =>
              operationFindings(project, endpoint, operation, services, isEnough).catch(withoutExample(endpoint)),
        ),
        ...services.map(
          (service) => async () => (await unknownPathErrors(service, pathWords(project))).map(pathFinding),
        ),
        async () => (await docsPageErrors(services[0])).map(pageFinding),
      ];
      for (const stage of stages) if (!isEnough(findings)) findings.push(...(await stage()));
      return findings;
    });
  },
};

/** Path segments in string and regex literals of the server's source, to probe for undeclared routes. */
function pathWords(project: Project): string[] {
  const files = project.list('apps/server/src').filter((file) => file.endsWith('.ts') && !file.includes('/gen/'));
  const found = files.flatMap((file) => [...project.read(file).matchAll(/(?:['"`^]|\\)\/([a-z][\w-]+)/g)]);
  return [...new Set(found.map(([, word = '']) => word))];
}

const asFinding =
  (where: string, expected: string, fix: string) =>
  (actual: string): Finding => ({ where, actual, expected, fix });

const pageFinding = asFinding('pages', 'the docs page and the spec files match the spec', 'apps/server/src/docs');
const pathFinding = asFinding('paths', 'only operations are served', 'apps/server/src/http/express-app.ts');

async function operationFindings(
  project: Project,
  endpoint: string,
  operation: Operation,
  services: readonly Service[],
  isEnough: IsEnough,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const finding = (where: string, actual: string, expected: string) =>
    findings.push({ where, actual, expected, fix: 'the server in apps/server/src, or spec/openapi.yaml' });
  const statuses = new Set<number>();
  const test = async ({ label, request, accepts, expected }: TestRequest, { spec, send }: Service) => {
    const response = await send(request);
    const { status } = response;
    statuses.add(status);
    if (!accepts(status)) finding(endpoint, `the response to ${label} is ${status}`, expected);
    for (const violation of await undeclared(spec, operation, response))
      finding(
        `${endpoint} ${status}`,
        `${violation}, in the response to ${label}`,
        'the spec declares everything in the response',
      );
  };
  for (const service of services) {
    const { hasVersions, whileFailing } = service;
    const prepared = async () => testRequestsFor(service, operation, await prepare(service, operation));
    const isRead = operation.method === 'GET';
    let requests = await prepared();
    for (const [i, { needs }] of requests.entries()) {
      if (isEnough(findings)) return findings;
      if ((needs === 'failing store' && !whileFailing) || (needs === 'versions' && !hasVersions)) continue;
      // A write may have deleted the prepared resource, so it is created again.
      if (i > 0 && !isRead) requests = await prepared();
      const request = requests[i];
      if (request && needs === 'failing store') await whileFailing?.(() => test(request, service));
      else if (request) await test(request, service);
    }
    for (const error of isRead ? await pagingErrors(service, operation) : [])
      finding(endpoint, error, 'following x-pagination returns every element once');
    for (const error of isEnough(findings) ? [] : await resourceErrors(service, operation))
      finding(endpoint, error, 'created elements appear in the list, as they were sent');
  }
  if (isEnough(findings)) return findings;
  for (const status of Object.keys(operation.object.responses ?? {}))
    if (!canBeSent(project, operation, status, statuses))
      finding(
        `${endpoint} ${status}`,
        'no request got this status, and the server mentions neither the status nor its error codes',
        'the server can send this status',
      );
  return findings;
}

/** Whether a declared status was sent. If no request for the status follows from the spec: whether the server's source names the status. */
function canBeSent(project: Project, operation: Operation, status: string, sent: ReadonlySet<number>): boolean {
  if (status === 'default' || status.startsWith('x-')) return true;
  const isSame = (one: number) => new RegExp(`^${status.replace(/XX$/i, '..')}$`).test(String(one));
  if ([...sent].some(isSame)) return true;
  // x-unreachable documents that a proxy sends this status, not the service.
  const { 'x-unreachable': reason } = node(resolve(project.spec, node(node(operation.object.responses)[status])));
  if (typeof reason === 'string' && reason !== '') return true;
  const successes = Object.keys(operation.object.responses ?? {}).filter((one) => one.startsWith('2'));
  if (successes.length === 1 && status.startsWith('2')) return false;
  const { statuses } = project.spec.model.service;
  const codes = Object.keys(statuses).filter((code) => statuses[code] !== undefined && isSame(statuses[code]));
  const sources = sourcesIn(project, 'apps/server/src').join('\n');
  return codes.some((code) => sources.includes(`'${code}'`)) || new RegExp(`\\b${status}\\b`).test(sources);
}
