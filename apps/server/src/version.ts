// The version of a body, for `ETag`.
import { hash } from 'node:crypto';
import type { Target } from './target.ts';

/** Longer bodies are not remembered, which bounds the memory of all targets. */
export const MAX_REMEMBERED_BODY = 2 ** 13;

/** The version of a body. If it is the body of the last request for this target, the version is known. */
export function etagOf(target: Target, body: string): string {
  // To compare a body takes a tenth of the time that to hash it takes.
  if (target.version?.body === body) return target.version.etag;
  // 128 bits are enough.
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  if (body.length <= MAX_REMEMBERED_BODY) target.version = { body, etag };
  return etag;
}
