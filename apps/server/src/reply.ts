// Turns what a handler returned into a reply.
import { hash } from 'node:crypto';
import { exactJson, type Operation } from '@petstore/types';
import type { Reply } from './exchange.ts';
import { type Replay, StoredDocument, StoredPage } from './store/store.ts';
import type { Target } from './target.ts';

/** Longer bodies are not remembered, which bounds the memory of all targets. */
export const MAX_REMEMBERED_BODY = 2 ** 13;

/** The reply with the result of a handler. */
export function replyOf(operation: Operation, target: Target, result: unknown): Reply {
  if (result === undefined) return { status: declaredStatus(operation, false) };
  const status = declaredStatus(operation, true);
  const isText = result instanceof StoredDocument || result instanceof StoredPage;
  const body = isText ? result.json : exactJson(result);
  // A response to another method is not the current version of what the target names.
  const etag = operation.method === 'GET' ? etagOf(target, body) : undefined;
  const link = result instanceof StoredPage ? nextPage(operation, target, result) : undefined;
  return { status, etag, link, body };
}

/** The reply to the repetition of a request. */
export function replayOf({ responses }: Operation, { status, document }: Replay): Reply {
  const body = responses[status]?.schema ? document.json : undefined;
  return { status, headers: ['Idempotency-Replayed', 'true'], body };
}

/** The status of the success with a body, or of the one without; undefined if the spec declares none. */
export function successStatus(operation: Operation, hasBody: boolean): number | undefined {
  const { successes, responses } = operation;
  const status = successes.find((each) => Boolean(responses[each]?.schema) === hasBody);
  return status === undefined ? undefined : Number(status);
}

function declaredStatus(operation: Operation, hasBody: boolean): number {
  const status = successStatus(operation, hasBody);
  if (status !== undefined) return status;
  const returned = hasBody ? 'a result' : 'nothing';
  const missing = hasBody ? 'with' : 'without';
  throw new Error(
    `${operation.id} returned ${returned}; the spec declares no success ${missing} a body.`,
  );
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
