import { differences } from '../../openapi/compare.ts';
import type { Operation } from '../../openapi/document.ts';
import type { Inputs } from '../../openapi/serialize.ts';
import { type Check, type Finding, withoutExample } from '../check.ts';
import { operationOf, type Spec, versionOf } from '../openapi.ts';
import { type Client, callOf, type Row } from './client/calls.ts';
import { errorNames, wronglyRead } from './client/responses.ts';
import { inputsFor } from './values.ts';

const readme = 'packages/client/README.md';

export const client: Check = {
  name: 'client',
  guarantee:
    "The client has one function for each operation. It sends the request that OpenAPI requires over the whole range of each input, reads each declared response, follows pages, retries when the service asks for it, and throws the errors that its README names. It has the spec's version and servers.",
  run: async (project) => {
    const findings: Finding[] = [];
    const finding = (where: string, actual: string, expected: string) =>
      findings.push({ where, actual, expected, fix: 'npm run generate' });

    const client = await project.load<Client>('@petstore/client');
    const { petstore } = client;
    const names = errorNames(project.read(readme), client);
    if (typeof names === 'string')
      findings.push({ where: readme, actual: names, expected: 'each error', fix: `edit ${readme}` });
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
      const fix = 'npm run generate, or packages/client/src';
      const asFinding = (actual: string, expected: string) => ({ where: id, actual, expected, fix });
      const wrong = async () => [
        ...(await wronglySent(petstore, project.spec, row)).map((one) => asFinding(one, 'it is sent as described')),
        ...(typeof names === 'string' ? [] : await wronglyRead(client, project.spec, row, names)).map((one) =>
          asFinding(one, 'it is read as described'),
        ),
      ];
      findings.push(...(await wrong().catch(withoutExample(id))));
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

/** How the requests of an operation differ from those that OpenAPI asks for, one sentence each. */
async function wronglySent(petstore: Client['petstore'], spec: Spec, row: Row): Promise<string[]> {
  const operation = operationOf(spec, row);
  if (!operation) return [`${row.method} ${row.path} is not in the spec`];
  const found: string[] = [];
  // The client chooses one media type.
  const isChosen = ({ contentType }: Inputs) => contentType === undefined || contentType === row.body?.mediaType;
  for (const { label, inputs } of inputsFor(spec, operation).filter((one) => isChosen(one.inputs))) {
    const { expected, sent, ended } = await callOf(petstore, spec, row, inputs);
    const [first] = sent;
    if (!first) found.push(`with ${label.slice(0, 60)} it sends nothing: ${ended}`);
    else found.push(...differences(expected, first).map((sentence) => `with ${label.slice(0, 60)}, ${sentence}`));
  }
  return [...found, ...(await keyErrors(petstore, spec, row))];
}

/** What is wrong with the key under which a request is done once: it is the caller's, else a new one for each call. */
async function keyErrors(petstore: Client['petstore'], spec: Spec, row: Row): Promise<string[]> {
  const { idempotencyKey } = row;
  const inputs = inputsFor(spec, operationOf(spec, row) as Operation)[0]?.inputs ?? {};
  if (!idempotencyKey) return [];
  const again = { status: 503, headers: { 'retry-after': '0' }, body: '{"code":"unavailable"}' };
  const keysWith = async (options: object, answers = [{}]) => {
    const { sent } = await callOf(petstore, spec, row, inputs, { retry: 1, ...options }, answers);
    return sent.map(({ headers }) => headers[idempotencyKey.header.toLowerCase()]);
  };
  const [one, repeated] = await keysWith({}, [again, {}]);
  const [[other], [own]] = [await keysWith({}), await keysWith({ idempotencyKey: 'of-the-caller' })];
  return [
    ...(one && one === repeated ? [] : [`a request is sent with the key ${one}, and again with ${repeated}`]),
    ...(other !== one ? [] : ['two calls have the same key']),
    ...(own === 'of-the-caller' ? [] : [`the key of the caller is sent as ${own}`]),
  ];
}
