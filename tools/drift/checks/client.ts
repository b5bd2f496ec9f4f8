import { type Check, type Finding, withoutExample } from '../check.ts';
import { operationOf, versionOf } from '../openapi.ts';
import { type ClientOperation, requestErrors } from './client/requests.ts';
import { errorNames, responseErrors } from './client/responses.ts';

const readme = 'packages/client/README.md';

export const client: Check = {
  name: 'client',
  guarantee:
    "The client has one function for each operation. It sends the request that OpenAPI requires over the whole range of each input, reads each declared response, follows pages, retries when the service asks for it, and throws the errors that its README names. It has the spec's version and servers.",
  run: async (project) => {
    const findings: Finding[] = [];
    const finding = (where: string, actual: string, expected: string, fix = 'npm run generate') =>
      findings.push({ where, actual, expected, fix });

    const { spec } = project;
    const client = await project.load<ClientOperation['client']>('@petstore/client');
    const names = errorNames(project.read(readme), client);
    if (typeof names === 'string') finding(readme, names, 'each error', `edit ${readme}`);
    const source = project.read('packages/client/src/gen/calls.gen.ts');
    const modelOperations = spec.model.operations.map(({ operation }) => operation);
    const functions = Object.keys(client.petstore({ apiKey: 'k' }));
    for (const id of functions.filter((one) => !modelOperations.some((modelOperation) => modelOperation.id === one)))
      finding(id, 'the client has such a function', 'there is no such operation');
    for (const modelOperation of modelOperations) {
      const { id, deprecated } = modelOperation;
      const operation = operationOf(spec, modelOperation);
      if (!operation || !functions.includes(id)) {
        finding(
          id,
          'the client has no such function',
          `${modelOperation.method} ${modelOperation.path} is an operation`,
        );
        continue;
      }
      const subject: ClientOperation = { client, spec, operation, modelOperation };
      const fix = 'npm run generate, or packages/client/src';
      try {
        for (const error of await requestErrors(subject)) finding(id, error, 'it is sent as described', fix);
        for (const error of typeof names === 'string' ? [] : await responseErrors(subject, names))
          finding(id, error, 'it is read as described', fix);
      } catch (error) {
        findings.push(...withoutExample(id)(error));
      }
      if (commentOf(source, id).includes('@deprecated') !== deprecated)
        finding(id, `it is ${deprecated ? 'not ' : ''}marked deprecated`, `deprecated: ${deprecated}`);
    }

    const { deployments, version } = await project.load<typeof import('@petstore/types')>('@petstore/types');
    const described = versionOf(spec.root);
    if (version !== described) finding('version', version, `info.version is ${described}`);
    for (const [name, address] of Object.entries(spec.model.service.deployments)) {
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
