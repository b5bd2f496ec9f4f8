import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { operationsOf } from '../../openapi/document.ts';
import { inputOf } from '../../openapi/recorder.ts';
import { exampleCredentials } from '../../openapi/security.ts';
import { changes } from './arrival.ts';
import { publicDocuments } from './documents.ts';
import { generateWhatFits, loadClient } from './generated-client.ts';
import { startGeneratedServer } from './generated-server.ts';
import { callsOf, examplesOf } from './outcome.ts';
import { readDocument } from './read-document.ts';

const folder = newFolder('generated-client', afterAll);

/** Documents that are not served here, and why. */
const UNSERVED: Record<string, string> = {
  github: 'it takes minutes to compile the checks of 706 operations',
};
const served = publicDocuments.filter(({ name }) => !Object.hasOwn(UNSERVED, name));

/** Operations whose requests the server rejects. */
const REJECTED: Record<string, Record<string, unknown>> = {
  // Two schemes that are required together use the same header, `Authorization`.
  'security-multiple': { 'POST /anything/and': expect.stringContaining('UnauthorizedError') },
};

describe.each(served)('$name', ({ name, file }) => {
  test('is served: the inputs of the client reach the handler unchanged', async () => {
    const { files } = await generateWhatFits(file);
    const client = await loadClient(files, join(folder, name));
    const document = await readDocument(file);
    const credentials = Object.values(exampleCredentials(document));
    const keys = new Set(
      credentials.map((credential) => (typeof credential === 'string' ? credential : credential.password)),
    );
    const server = await startGeneratedServer(join(folder, name), keys);
    const messages: string[] = [];
    const rejected: Record<string, string> = {};
    for (const { row, testCase } of callsOf(client, operationsOf(document), examplesOf(document))) {
      const input = inputOf(row, testCase.inputs);
      const options = { credentials: testCase.credentials, baseUrl: server.origin + server.basePath };
      server.calls.length = 0;
      const error = await client.call(row, input, options).catch((thrown: Error) => thrown);
      const [call] = server.calls;
      if (call?.id !== row.id) rejected[testCase.operation] = String(error);
      else messages.push(...(await changes(input, call.input)).map((message) => `${testCase.operation}: ${message}`));
    }
    await server.stop();
    expect(rejected).toEqual(REJECTED[name] ?? {});
    expect(messages).toEqual([]);
  });
});
