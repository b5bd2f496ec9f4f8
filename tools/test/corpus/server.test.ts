import { join } from 'node:path';
import { isDeep, newFolder } from '@petstore/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { inputOf } from '../../openapi/recorder.ts';
import { wireRequest } from '../../openapi/serialize.ts';
import { changes } from './arrival.ts';
import { type Case, constructs } from './cases.ts';
import { generateWhatFits, loadClient } from './generated-client.ts';
import { type GeneratedServer, startGeneratedServer } from './generated-server.ts';
import { isChosen } from './outcome.ts';

const folder = newFolder('generated-server', afterAll);

/** The quick run takes a part of the constructs, always the same one. */
const tried = constructs.filter((_, i) => isDeep || i % 24 === 1);

describe.each(tried)('$name', ({ name, file, cases }) => {
  test('the inputs of each case reach the handler unchanged, and its result is sent as the document describes', async () => {
    const { files } = await generateWhatFits(file);
    if (files.size === 0) return;
    await loadClient(files, join(folder, name));
    const keys = new Set(
      cases
        .flatMap(({ credentials }) => Object.values(credentials))
        .map((credential) => (typeof credential === 'string' ? credential : credential.password)),
    );
    const server = await startGeneratedServer(join(folder, name), keys);
    const messages: string[] = [];
    for (const testCase of cases) messages.push(...(await violations(server, testCase)));
    await server.stop();
    expect(messages).toEqual([]);
  });
});

async function violations(
  server: GeneratedServer,
  { operation, request, inputs, response, result }: Case,
): Promise<string[]> {
  const row = server.operations.find(({ id, method, path }) => id === operation || `${method} ${path}` === operation);
  if (!request || !row || row.server !== undefined) return [];
  if (inputs.contentType && !inputs.contentType.startsWith(row.body?.mediaType ?? '')) return [];
  const isSuccess = response && result && result.status === undefined;
  const data = result?.bytes
    ? new Blob([Buffer.from(result.bytes)]).stream()
    : 'json' in Object(result)
      ? result?.json
      : result?.text;
  server.respondWith(isSuccess ? (row.successes.length > 1 ? { status: response.status, data } : data) : undefined);
  server.calls.length = 0;
  const { method, target, headers, body: bytes } = wireRequest(request);
  // URLSearchParams encodes the comma that divides a list.
  const body = request.body && 'form' in request.body ? String(bytes).replaceAll('%2C', ',') : bytes;
  const init = { method, headers, ...(body !== undefined && { body }) };
  const send = () => fetch(server.origin + server.basePath + target, { ...init, signal: AbortSignal.timeout(30_000) });
  const needsKey = row.security.length > 0 && row.security.every((schemes) => schemes.length > 0);
  if (needsKey) {
    server.accept(false);
    const { status, headers } = await send();
    server.accept(true);
    if (status !== 401 || !headers.get('www-authenticate')) return [`${operation}: ${status} without a known key`];
  }
  const received = await send();
  const text = Buffer.from(await received.arrayBuffer());
  const [call] = server.calls;
  const where = `${operation} ${method} ${target}`;
  if (!call) return [`${where}: ${received.status} ${text}`];
  const wrong = await changes(inputOf(row, inputs), call.input);
  if (isSuccess && isChosen(row.responses, response.contentType)) {
    if (row.successes.length > 1 || row.success) {
      if (received.status !== response.status)
        wrong.push(`it returns ${received.status} instead of ${response.status}`);
    }
    const content = response.bytes ? Buffer.from(response.bytes) : Buffer.from(response.body ?? '');
    if (
      result.json !== undefined
        ? JSON.stringify(JSON.parse(String(text))) !== JSON.stringify(JSON.parse(String(content)))
        : !text.equals(content)
    )
      wrong.push(`it returns '${text}' instead of '${content}'`);
  }
  return wrong.map((sentence) => `${where}: ${sentence}`);
}
