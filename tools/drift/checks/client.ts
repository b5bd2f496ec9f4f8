import { type Check, editFinding, type Finding, listFindings, requiringExamples } from '../check.ts';
import { operationPairs, versionOf } from '../openapi.ts';
import { type ClientOperation, requestErrors } from './client/requests.ts';
import { type ErrorNames, errorNames, responseErrors } from './client/responses.ts';

const readme = 'packages/client/README.md';

export const client: Check = {
  name: 'client',
  guarantee:
    "The client has one function for each operation. It sends the request that OpenAPI requires over the whole range of each input, reads each declared response, follows pages, retries when the service asks for it, and throws the errors that its README names. It has the spec's version and servers.",
  async *run(project) {
    const { spec } = project;
    const client = await project.load<ClientOperation['client']>('@petstore/client');
    const page = project.read(readme);
    for (const name of Object.keys(client).filter((one) => one.endsWith('Error') && !page.includes(`\`${one}\``)))
      yield editFinding(readme, `it does not name ${name}`, 'each error');

    const fix = 'npm run generate';
    const functions = Object.keys(client.petstore({ apiKey: 'k' }));
    const operations = operationPairs(spec);
    yield* listFindings(
      operations.map(({ modelOperation }) => modelOperation.id),
      functions,
      { actual: 'the client has no such function', expected: 'it is an operation', fix },
      { actual: 'the client has such a function', expected: 'there is no such operation', fix },
    );
    const source = project.read('packages/client/src/gen/calls.gen.ts');
    for (const { operation, modelOperation } of operations) {
      const { id, deprecated } = modelOperation;
      if (!functions.includes(id)) continue;
      const subject: ClientOperation = { client, spec, operation, modelOperation };
      yield* requiringExamples(id, callFindings(subject, errorNames(page)));
      if (commentOf(source, id).includes('@deprecated') !== deprecated)
        yield {
          where: id,
          actual: `it is ${deprecated ? 'not ' : ''}marked deprecated`,
          expected: `deprecated: ${deprecated}`,
          fix,
        };
    }

    const { deployments, version } = await project.load<typeof import('@petstore/types')>('@petstore/types');
    const described = versionOf(spec.root);
    if (version !== described)
      yield { where: 'version', actual: version, expected: `info.version is ${described}`, fix };
    for (const [name, address] of Object.entries(spec.model.service.deployments)) {
      const actual = new Map<string, string>(Object.entries(deployments)).get(name);
      const finding = { actual: `the client uses ${actual}`, expected: `its address is ${address}`, fix };
      if (actual !== address) yield { where: `deployment ${name}`, ...finding };
    }
  },
};

async function* callFindings(subject: ClientOperation, nameOf: ErrorNames): AsyncGenerator<Finding> {
  const { id } = subject.modelOperation;
  const fix = 'npm run generate, or packages/client/src';
  for await (const actual of requestErrors(subject))
    yield { where: id, actual, expected: 'it is sent as described', fix };
  for await (const actual of responseErrors(subject, nameOf))
    yield { where: id, actual, expected: 'it is read as described', fix };
}

/** The doc comment of a generated function. */
function commentOf(source: string, id: string): string {
  const before = source.slice(0, source.indexOf(`export function ${id}(`));
  const comment = before.split('*/').at(-2) ?? '';
  return comment.slice(comment.lastIndexOf('/**'));
}
