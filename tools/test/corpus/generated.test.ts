import { isDeep, newFolder } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { differences } from '../../openapi/compare.ts';
import { operationsOf, readDocument } from '../../openapi/document.ts';
import { exampleInputs } from '../../openapi/examples.ts';
import { inputOf, recorder } from '../../openapi/recorder.ts';
import { exampleCredentials } from '../../openapi/security.ts';
import { expectedRequest } from '../../openapi/serialize.ts';
import { type Case, constructs } from './cases.ts';
import { publicDocuments } from './documents.ts';
import { type GeneratedClient, generateWhatFits, loadClient } from './generated-client.ts';
import { loadPetctl } from './generated-petctl.ts';

/** What the generator stops at, by the construct that shows it. Everything else is sent as the judge says. */
const REFUSED: Record<string, string> = {
  'body-multipart-headers': 'a header of a part that can have several values',
  'cookie-exploded': 'a list or an object in a cookie',
  'names-reserved': "an input called 'constructor'",
  'query-deep-object-nested': "as style 'deepObject'",
  'query-delimited-unspecified': 'which OpenAPI leaves undefined',
  'same-name-in-places': 'is a path parameter and a query parameter',
  'security-other': 'is no way to authenticate',
  'servers-relative-to-document': 'is relative to the place of this document',
};

/** Operations of public documents whose example cannot be given: an optional body without properties is not sent. */
const NOT_GIVEN: Record<string, string[]> = { discriminators: ['PATCH /nested-one-of-object-with-nested-one-of'] };

/** The quick run takes a part of the constructs, always the same one. */
const tried = constructs.filter((_, i) => isDeep || i % 4 === 0);

describe.each(tried)('$name', ({ name, file, cases }) => {
  test('is sent and read as its cases say, or refused by name', async () => {
    const { files, refused } = await generateWhatFits(file);
    if (name in REFUSED) expect(refused.join('\n')).toContain(REFUSED[name]);
    else expect(refused).toEqual([]);
    if (files.size === 0) return;
    const client = await loadClient(files, newFolder('generated-client'));
    const wrong: string[] = [];
    for (const one of cases) wrong.push(...(await violations(client, file, one)));
    expect(wrong).toEqual([]);
  });
});

describe.runIf(isDeep).each(publicDocuments)('$name', ({ name, file }) => {
  test('is sent as OpenAPI says, whatever is not refused by name', async () => {
    const document = readDocument(file);
    const { files } = await generateWhatFits(file);
    if (files.size === 0) return;
    const client = await loadClient(files, newFolder('generated-client'));
    const credentials = exampleCredentials(document);
    const wrong: string[] = [];
    for (const operation of operationsOf(document)) {
      if (NOT_GIVEN[name]?.includes(operation.id)) continue;
      for (const inputs of examplesOf(document, operation)) {
        const request = expectedRequest(document, operation.id, inputs, credentials);
        wrong.push(...(await violations(client, file, { operation: operation.id, inputs, credentials, request })));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe.runIf(isDeep).each([...constructs, ...publicDocuments])('$name', ({ file }) => {
  test('has one command of petctl for each operation, with one flag for each input', async () => {
    const { files } = await generateWhatFits(file);
    if (files.size === 0) return;
    const folder = newFolder('generated-client');
    const { operations } = await loadClient(files, folder);
    const { commands } = await loadPetctl(folder);
    for (const { command, fields } of operations) {
      const { flags = [], fields: given = [] } = commands.get(command.join(' ')) ?? {};
      const inputs = Object.keys(fields).filter((name) => fields[name]?.in !== 'path');
      expect([command, given.toSorted()]).toEqual([command, inputs.toSorted()]);
      expect(new Set(flags).size).toBe(flags.length);
    }
  });
});

/** The inputs that the judge knows a request for. */
function examplesOf(...[document, operation]: Parameters<typeof exampleInputs>) {
  try {
    const credentials = exampleCredentials(document);
    return exampleInputs(document, operation).flatMap(({ inputs }) => {
      expectedRequest(document, operation.id, inputs, credentials);
      return [inputs];
    });
  } catch {
    // corpus.test.ts lists these.
    return [];
  }
}

/** How a call of the generated client differs from its case. */
async function violations(client: GeneratedClient, file: string, one: Case): Promise<string[]> {
  const { operation, inputs, credentials, request, response, result } = one;
  const described = operationsOf(readDocument(file)).find(({ id }) => id === operation);
  const row = client.operations.find(({ method, path }) => method === described?.method && path === described.path);
  // Left out, because it is refused; or given as a media type that the client does not choose.
  if (!row || (inputs.contentType && !inputs.contentType.startsWith(row.body?.mediaType ?? ''))) return [];
  // The client asks for JSON where there is JSON.
  const isOther = response?.contentType && row.successes.length === 1 && !isChosen(row.responses, response.contentType);
  const { sent, transport } = recorder(wholeAddress(request?.server ?? ''), response);
  // Where the document does not say its host, the caller has to.
  const elsewhere = URL.canParse(client.address) ? {} : { baseUrl: wholeAddress(client.address) };
  const ended = await client
    .call(row, inputOf(row, inputs), { credentials, transport, ...elsewhere })
    .then((data) => ({ data, error: undefined }))
    .catch((error: Error & { status?: number }) => ({ data: undefined, error }));
  const [first] = sent;
  const where = `${operation} ${JSON.stringify(inputs, withBigInt)}`;
  if (!request) return first ? [`${where}: it is sent as ${first.target}`] : [];
  if (!first) return [`${where}: it is not sent: ${ended.error}`];
  const found = differences(request, first);
  if (found.length === 0 && result && !isOther)
    found.push(...(await resultViolations(ended, row.successes.length > 1, result)));
  return found.map((sentence) => `${where}: ${sentence}`);
}

function wholeAddress(server: string): string {
  return new URL(server, 'https://api.example.com').href.replace(/\/$/, '');
}

function isChosen(responses: GeneratedClient['operations'][number]['responses'], contentType: string): boolean {
  const types = Object.values(responses).flatMap(({ mediaType }) => mediaType ?? []);
  return types.length === 0 || types.some((type) => type.split(';')[0] === contentType.split(';')[0]);
}

async function resultViolations(
  { data, error }: { data: unknown; error: (Error & { status?: number }) | undefined },
  hasStatus: boolean,
  expected: NonNullable<Case['result']>,
): Promise<string[]> {
  if (expected.status !== undefined)
    return error?.status === expected.status ? [] : [`result: expected error ${expected.status}, got ${error}`];
  if (error) return [`result: ${error}`];
  const value = hasStatus ? (data as { data: unknown }).data : data;
  const actual = value instanceof ReadableStream ? new Uint8Array(await new Response(value).arrayBuffer()) : value;
  const wanted = 'json' in expected ? expected.json : (expected.text ?? expected.bytes);
  const [one, other] = [wanted, actual].map((each) => JSON.stringify(each, withBigInt));
  return one === other ? [] : [`result: expected ${one}, got ${other}`];
}

function withBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
