import type { Options } from '@petstore/client';
import { exactJson, parseExact } from '@petstore/types';
import { escapeLine, escapeLines } from '../output/escapes.ts';
import { methodFor } from '../service/client.ts';
import type { Session } from '../session.ts';
import type { Target } from '../settings.ts';
import type { RequestedCall } from './call-operation.ts';

interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A preview shows this variable instead of the key. */
const keyVariable = '$PETCTL_API_KEY';

/** Prints the request of a call as JSON. It needs no key. */
export async function printAsJson(call: RequestedCall, session: Session): Promise<void> {
  const { body, ...head } = await requestOf(call, session);
  const shown = body === undefined ? head : { ...head, body: parseExact(body) };
  await session.stdout.write(`${escapeLines(exactJson(shown, 2))}\n`);
}

/** Prints the request of a call as a command for a POSIX shell. */
export async function printAsCurl(call: RequestedCall, session: Session): Promise<void> {
  const request = await requestOf(call, session);
  const key = await keyExpression(call.settings.target, session);
  await session.stdout.write(`${curlCommand(request, key)}\n`);
}

/** The first request that the client would send, caught by a `fetch` that sends nothing. */
function requestOf(call: RequestedCall, session: Session): Promise<ShownRequest> {
  const { operation, settings, input, idempotencyKey, wanted } = call;
  if (needsPages(call)) session.reporter.notice('Only the first of the requests is shown.');
  const key = { value: keyVariable, from: keyVariable };
  return new Promise((resolve, reject) => {
    const fetch: Options['fetch'] = async (url, { method = 'GET', headers, body } = {}) => {
      resolve({
        method,
        url: String(url),
        headers: headers as Record<string, string>,
        body: typeof body === 'string' ? body : undefined,
      });
      throw new Error('The request is shown, and not sent.');
    };
    const method = methodFor({ operation, settings, key }, session, fetch);
    const sending = method(input, { idempotencyKey });
    const isListOf = operation.pagination && wanted !== undefined;
    const sent: Promise<unknown> = isListOf ? sending.pages({ max: wanted }).next() : sending;
    // Once `fetch` was called, the promise is resolved, and `reject` has no effect.
    sent.catch(reject);
  });
}

/** Whether more results are wanted than one page can have. */
function needsPages({ operation, wanted }: RequestedCall): boolean {
  const { pagination, fields } = operation;
  if (!pagination || wanted === undefined) return false;
  const largest = fields[pagination.limit]?.schema.maximum;
  return largest !== undefined && wanted > largest;
}

/** What the shell replaces by the key: the variable, or a command that prints the stored key. */
async function keyExpression(target: Target, { credentials, env }: Session): Promise<string> {
  const from = (await credentials.findKey(target))?.from;
  // Without any key, the user sets the variable later. If it is set, it may be for another address.
  const isVariableFree = from === undefined && env.PETCTL_API_KEY === undefined;
  if (from === 'PETCTL_API_KEY' || isVariableFree) return keyVariable;
  const petctl = env.npm_command === 'exec' ? 'npx petctl' : 'petctl';
  return `$(${petctl} auth token --base-url ${shellWord(target.baseUrl)})`;
}

function curlCommand({ method, url, headers, body }: ShownRequest, key: string): string {
  const words = ['curl'];
  if (method !== 'GET') words.push(`-X ${method}`);
  for (const [name, value] of Object.entries(headers)) {
    // In double quotes, the shell inserts the key.
    const isKey = name === 'authorization';
    words.push(`-H ${isKey ? `"${name}: Bearer ${key}"` : shellWord(`${name}: ${value}`)}`);
  }
  if (body !== undefined) words.push(`--data-raw ${shellWord(escapeLine(body))}`);
  words.push(shellWord(url));
  return words.join(' ');
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
