import { differences } from '../../openapi/compare.ts';
import { exampleInputs } from '../../openapi/examples.ts';
import { inputOf, recorder } from '../../openapi/recorder.ts';
import { exampleCredentials } from '../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../openapi/serialize.ts';
import type { Check, Finding } from '../check.ts';
import { type Spec, versionOf } from '../openapi.ts';
import { withoutExample } from './conformance.ts';

type Client = typeof import('@petstore/client');
type Row = Spec['model']['rows'][number]['operation'];

export const client: Check = {
  name: 'client',
  guarantee:
    "The client has one function for each operation, which sends the request that OpenAPI asks for, and the spec's version and servers.",
  run: async (project) => {
    const findings: Finding[] = [];
    const finding = (where: string, actual: string, expected: string) =>
      findings.push({ where, actual, expected, fix: 'npm run generate' });

    const { petstore } = await project.load<Client>('@petstore/client');
    const source = project.read('packages/client/src/gen/calls.gen.ts');
    const { model } = project.spec;
    const rows = model.rows.map(({ operation }) => operation);
    const functions = Object.keys(petstore({ apiKey: 'k' }));
    for (const id of functions)
      if (!rows.some((row) => row.id === id))
        finding(id, 'the client has such a function', 'there is no such operation');
    for (const row of rows) {
      const { id, deprecated } = row;
      if (!functions.includes(id)) {
        finding(id, 'the client has no such function', `${row.method} ${row.path} is an operation`);
        continue;
      }
      const wrong = wronglySent(petstore, project.spec, row).then((all) =>
        all.map((sentence) => ({
          where: id,
          actual: sentence,
          expected: 'it is sent as described',
          fix: 'npm run generate',
        })),
      );
      findings.push(...(await wrong.catch(withoutExample(id))));
      if (commentOf(source, id).includes('@deprecated') !== deprecated)
        finding(id, `it is ${deprecated ? 'not ' : ''}marked deprecated`, `deprecated: ${deprecated}`);
    }

    const { deployments, version } = await project.load<typeof import('@petstore/types')>('@petstore/types');
    const described = versionOf(project.spec.root);
    if (version !== described) finding('version', version, `info.version is ${described}`);
    for (const [name, address] of Object.entries(model.service.deployments)) {
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

/** How the requests for example inputs differ from those that OpenAPI asks for, one sentence each. */
async function wronglySent(petstore: Client['petstore'], spec: Spec, row: Row): Promise<string[]> {
  const operation = spec.operations.get(`${row.method} ${row.path}`);
  if (!operation) return [`${row.method} ${row.path} is not in the spec`];
  const found: string[] = [];
  // The client chooses one media type.
  const isChosen = ({ contentType }: Inputs) => contentType === undefined || contentType === row.body?.mediaType;
  const credentials = exampleCredentials(spec);
  for (const { label, inputs } of exampleInputs(spec, operation).filter((example) => isChosen(example.inputs))) {
    const request = expectedRequest(spec, operation.id, inputs, credentials);
    const baseUrl = new URL(request.server, 'http://localhost').href.replace(/\/$/, '');
    const { sent, transport } = recorder(baseUrl);
    const api = petstore({ credentials, baseUrl, transport, retry: 0, on: { deprecated: false } } as object);
    // By name: the functions are those of the spec that is checked. What the recorder answers may be no valid answer.
    const call = (api as unknown as Record<string, (input: object) => PromiseLike<unknown>>)[row.id];
    const ended = await Promise.resolve(call?.(inputOf(row, inputs))).catch((error: unknown) => error);
    const [first] = sent;
    if (!first) found.push(`with ${label} inputs it sends nothing: ${ended}`);
    else found.push(...differences(request, first).map((sentence) => `with ${label} inputs, ${sentence}`));
  }
  return found;
}
