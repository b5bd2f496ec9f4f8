// Turns what a handler returned into a reply.
import { hash } from 'node:crypto';
import { exactJson, type Operation, operations } from '@petstore/types';
import type { Reply } from './exchange.ts';
import { StoredDocument, StoredPage } from './store/store.ts';
import type { Target } from './target.ts';

/** Longer bodies are not remembered, which bounds the memory of all targets. */
export const MAX_REMEMBERED_BODY = 2 ** 13;

/** The reply with the result of a handler. */
export function replyOf(operation: Operation, target: Target, result: unknown): Reply {
  const { withBody, empty } = successesOf(operation);
  if (result === undefined) {
    if (empty !== undefined) return { status: empty };
    throw new Error(
      `${operation.id} returned nothing; the spec declares no success without a body.`,
    );
  }
  if (withBody === undefined)
    throw new Error(`${operation.id} returned a result; the spec declares no success with a body.`);
  const body = bodyOf(result);
  // A response to another method is not the current version of what the target names.
  const etag = operation.method === 'GET' ? etagOf(target, body) : undefined;
  const link = result instanceof StoredPage ? nextPage(operation, target, result) : undefined;
  return { status: withBody, etag, link, body };
}

/** The reply to the repetition of a request whose write returned this document the first time. */
export function replayOf(operation: Operation, target: Target, document: StoredDocument): Reply {
  // The first response had no body where the spec declares none.
  const isEmpty = successesOf(operation).withBody === undefined;
  const first = replyOf(operation, target, isEmpty ? undefined : document);
  return { ...first, headers: ['Idempotency-Replayed', 'true'] };
}

interface Successes {
  /** The status of the success with a body. */
  readonly withBody: number | undefined;
  /** The status of the success without a body. */
  readonly empty: number | undefined;
}

/** The statuses of an operation's successes. */
export function successesOf(operation: Operation): Successes {
  return successes.get(operation) ?? { withBody: undefined, empty: undefined };
}

const successes = new Map<Operation, Successes>();
for (const operation of Object.values<Operation>(operations)) {
  const { responses } = operation;
  const withBody = operation.successes.find((status) => responses[status]?.schema);
  const empty = operation.successes.find((status) => !responses[status]?.schema);
  successes.set(operation, { withBody: statusOf(withBody), empty: statusOf(empty) });
}

function statusOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function bodyOf(result: unknown): string {
  const isText = result instanceof StoredDocument || result instanceof StoredPage;
  return isText ? result.json : exactJson(result);
}

/** The version of a body. If it is the body of the last request for this target, the version is known. */
function etagOf(target: Target, body: string): string {
  // To compare a body takes a tenth of the time that to hash it takes.
  if (target.version?.body === body) return target.version.etag;
  // 128 bits are enough.
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  if (body.length <= MAX_REMEMBERED_BODY) target.version = { body, etag };
  return etag;
}

/** The link to the next page. It is relative to the request, so it also works behind a proxy that adds a path. */
function nextPage(operation: Operation, target: Target, page: StoredPage): string | undefined {
  const { pagination } = operation;
  if (!pagination || page.next === undefined) return undefined;
  const query = new URLSearchParams(target.query.map(([name, value]) => [name, value]));
  query.set(pagination.cursor, String(page.next));
  return `<?${query}>; rel="next"`;
}
