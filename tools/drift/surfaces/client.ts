import * as client from '@petstore/client';
import { deployments, version } from '@petstore/types';
import type { Finding } from '../finding.ts';
import { list, node, operationsOf } from '../future/spec.ts';
import { addresses, spec, textOf } from '../root.ts';

/** The client has one function for each operation, which sends what the spec says, and carries the spec's version and servers. */
export async function clientFunctions(): Promise<Finding[]> {
  const found: Finding[] = [];
  const finding = (where: string, what: string, says: string) =>
    found.push({ surface: 'client', where, what, spec: says, mend: 'npm run generate' });

  const source = textOf('packages/client/src/gen/calls.gen.ts');
  const expected = new Map(
    [...operationsOf(spec)].map(([place, operation]) => [operation.operationId, { place, operation }]),
  );
  const offered = Object.keys(client.petstore({ apiKey: 'k' }));
  for (const id of offered) if (!expected.has(id)) finding(id, 'the client offers it', 'there is no such operation');
  for (const [id, { place, operation }] of expected) {
    if (!offered.includes(id)) finding(id, 'the client does not offer it', `${place} is an operation`);
    else {
      const sent = await sentBy(id, list(operation.parameters).map(node));
      if (sent !== place) finding(id, `it sends ${sent}`, `it is ${place}`);
      const doc =
        source
          .slice(0, source.indexOf(`export function ${id}(`))
          .split('*/')
          .at(-2) ?? '';
      const marked = doc.slice(doc.lastIndexOf('/**')).includes('@deprecated');
      if (marked !== (operation.deprecated === true))
        finding(
          id,
          marked ? 'it is marked deprecated' : 'it is not marked deprecated',
          `deprecated: ${operation.deprecated === true}`,
        );
    }
  }

  const described = node(spec.info).version;
  if (version !== described) finding('version', version, `info.version is ${described}`);
  for (const [name, address] of addresses) {
    const carried = new Map<string, string>(Object.entries(deployments)).get(name);
    if (carried !== address) finding(`deployment ${name}`, `the client takes ${carried}`, `its address is ${address}`);
  }
  return found;
}

/** The method and the path template of what a call sends, seen by its transport. */
async function sentBy(id: string, parameters: Record<string, unknown>[]): Promise<string> {
  let sent = 'nothing';
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => String(name));
  const api: Record<string, (input: object) => PromiseLike<unknown>> = client.petstore({
    apiKey: 'k',
    baseUrl: 'http://localhost/v1',
    on: { deprecated: false },
    transport: async ({ method, url }) => {
      const path = new URL(url).pathname.replace('/v1', '');
      sent = `${method} ${path.replace(/-(\w+)-/g, '{$1}')}`;
      return new Response(null, { status: 204 });
    },
  }) as never;
  await api[id]?.(Object.fromEntries(inPath.map((name) => [name, `-${name}-`])));
  return sent;
}
