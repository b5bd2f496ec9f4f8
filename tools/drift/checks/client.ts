import type { Check, Finding } from '../check.ts';
import { addressesOf, node, operationsOf, parametersIn } from '../openapi.ts';

type Client = typeof import('@petstore/client');

export const client: Check = {
  name: 'client',
  guarantee:
    "The client has one function for each operation, which sends its method and path, and the spec's version and servers.",
  run: async (project) => {
    const findings: Finding[] = [];
    const finding = (where: string, actual: string, expected: string) =>
      findings.push({ where, actual, expected, fix: 'npm run generate' });

    const { petstore } = await project.load<Client>('@petstore/client');
    const source = project.read('packages/client/src/gen/calls.gen.ts');
    const operations = operationsOf(project.spec);
    const ids = [...operations.values()].map(({ operationId }) => operationId);
    const functions = Object.keys(petstore({ apiKey: 'k' }));
    for (const id of functions)
      if (!ids.includes(id)) finding(id, 'the client has such a function', 'there is no such operation');
    for (const [endpoint, operation] of operations) {
      const id = operation.operationId;
      if (!functions.includes(id)) {
        finding(id, 'the client has no such function', `${endpoint} is an operation`);
        continue;
      }
      const pathParameters = parametersIn(operation, 'path').map(({ name }) => String(name));
      const sent = await endpointOf(petstore, id, pathParameters);
      if (sent !== endpoint) finding(id, `it sends ${sent}`, `it is ${endpoint}`);
      const deprecated = operation.deprecated === true;
      if (commentOf(source, id).includes('@deprecated') !== deprecated)
        finding(id, `it is ${deprecated ? 'not ' : ''}marked deprecated`, `deprecated: ${deprecated}`);
    }

    const { deployments, version } = await project.load<typeof import('@petstore/types')>('@petstore/types');
    const described = node(project.spec.info).version;
    if (version !== described) finding('version', version, `info.version is ${described}`);
    for (const [name, address] of addressesOf(project.spec)) {
      const actual = new Map<string, string>(Object.entries(deployments)).get(name);
      if (actual !== address) finding(`deployment ${name}`, `the client uses ${actual}`, `its address is ${address}`);
    }
    return findings;
  },
};

/** The doc comment of a generated function. */
function commentOf(source: string, id: string): string {
  const before = source.slice(0, source.indexOf(`export function ${id}(`));
  const comment = before.split('*/').at(-2) ?? '';
  return comment.slice(comment.lastIndexOf('/**'));
}

/** The method and the path template of the request that a function sends, as its transport sees it. */
async function endpointOf(petstore: Client['petstore'], id: string, pathParameters: string[]): Promise<string> {
  let endpoint = 'nothing';
  const api: Record<string, (input: object) => PromiseLike<unknown>> = petstore({
    apiKey: 'k',
    baseUrl: 'http://localhost/v1',
    on: { deprecated: false },
    transport: async ({ method, url }) => {
      const path = new URL(url).pathname.replace('/v1', '');
      endpoint = `${method} ${path.replace(/-(\w+)-/g, '{$1}')}`;
      return new Response(null, { status: 204 });
    },
  }) as never;
  await api[id]?.(Object.fromEntries(pathParameters.map((name) => [name, `-${name}-`])));
  return endpoint;
}
