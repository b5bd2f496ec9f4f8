import { type Check, editFinding, type Finding, listFindings, requiringExamples } from '../check.ts';
import { operationPairs } from '../openapi.ts';
import { type ClientOperation, requestErrors } from './client/requests.ts';
import { type ErrorNameOf, errorNames, responseErrors } from './client/responses.ts';

const readme = 'packages/client/README.md';

export const client: Check = {
  name: 'client',
  guarantee:
    'The client has one function for each operation. It sends the request that OpenAPI requires over the whole range of each input, reads each declared response, follows pages, retries when the service asks for it, and throws the errors that its README names.',
  async *run(project) {
    const { spec } = project;
    const client = await import('@petstore/client');
    const page = project.read(readme);
    for (const name of Object.keys(client).filter((name) => name.endsWith('Error') && !page.includes(`\`${name}\``)))
      yield editFinding(readme, `it does not name ${name}`, 'it names each error');

    const fix = 'npm run generate';
    const functions = Object.keys(client.petstore({ apiKey: 'k' }));
    const operations = operationPairs(spec);
    const ids = operations.map(({ modelOperation }) => modelOperation.id);
    yield* listFindings('an operation', ids, 'the functions of the client', functions, fix);
    for (const { operation, modelOperation } of operations) {
      const { id } = modelOperation;
      if (!functions.includes(id)) continue;
      const subject: ClientOperation = { client, spec, operation, modelOperation };
      yield* requiringExamples(id, callFindings(subject, errorNames(page)));
    }
  },
};

async function* callFindings(subject: ClientOperation, nameOf: ErrorNameOf): AsyncGenerator<Finding> {
  const { id } = subject.modelOperation;
  const fix = 'npm run generate, or packages/client/src';
  for await (const actual of requestErrors(subject))
    yield { where: id, actual, expected: 'it is sent as described', fix };
  for await (const actual of responseErrors(subject, nameOf))
    yield { where: id, actual, expected: 'it is read as described', fix };
}
