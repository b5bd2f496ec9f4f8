import { MAX_CONDITION_TAGS } from '../limits.ts';
import type { Collection, NotWritten, Store } from '../store/store.ts';
import { errorOfStatus, HttpError } from './http-error.ts';
import { isCondition } from './input.ts';

/**
 * The tag of a version. The bytes of a document depend only on its version, so its tag is strong. The elements of a page also
 * depend on MAX_PAGE_BYTES of the server, so its tag is weak.
 */
export function entityTag(version: string, isPage: boolean): string {
  return isPage ? `W/"${version}"` : `"${version}"`;
}

/** Whether the client already has this version, by the weak comparison of RFC 9110 13.1.2. */
export function isKnown(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = tag?.replace(/^W\//, '');
  return ifNoneMatch.split(',').some((known) => ['*', opaque].includes(known.trim().replace(/^W\//, '')));
}

/** The document versions that an `If-Match` header allows a write to change (RFC 9110 13.1.1); undefined if it allows any. */
export function allowedVersions(method: string, ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || !isCondition(method, 'If-Match') || ifMatch.trim() === '*') return undefined;
  const tags = TAGS.test(ifMatch) ? (ifMatch.match(TAG) ?? []) : [];
  if (tags.length === 0 || tags.length > MAX_CONDITION_TAGS) {
    const expected = `neither * nor a list of up to ${MAX_CONDITION_TAGS} entity tags`;
    throw new HttpError('invalid_request', `header 'If-Match': it is ${expected}`);
  }
  // Documents have strong tags, so a weak tag never matches.
  return tags.filter((tag) => !tag.startsWith('W/')).map((tag) => tag.slice(1, -1));
}

const TAG = /(?:W\/)?"[!#-~\x80-\xff]*"/g;
/** A list of entity tags. Empty elements count for nothing (RFC 9110 5.6.1.2). */
const TAGS = new RegExp(`^[ \\t,]*${TAG.source}(?:[ \\t]*,[ \\t,]*${TAG.source})*[ \\t,]*$`);

/** A view of a store that replaces or removes a document only if it has one of these versions. */
export function onlyVersions(store: Store, versions: readonly string[]): Store {
  return { ...store, collection: (name) => conditional(store.collection(name), versions) };
}

function conditional(collection: Collection, versions: readonly string[]): Collection {
  const write = async <T extends { outcome: string }>(
    id: number,
    readVersion: string | undefined,
    attempt: (version: string) => Promise<T | NotWritten>,
  ): Promise<T | NotWritten> => {
    for (const version of versions) {
      // A handler that has read the document requires the version that it read, so no other version is tried.
      if (readVersion !== undefined && readVersion !== version) continue;
      const result = await attempt(version);
      if (result.outcome !== 'conflict') return result;
    }
    if (!(await collection.get(id))) return { outcome: 'missing' };
    const message = 'The document has another version than If-Match names. Get it again, then repeat the change.';
    throw errorOfStatus(412, message);
  };
  return {
    ...collection,
    replace: (id, properties, options = {}) =>
      write(id, options.ifVersion, (ifVersion) => collection.replace(id, properties, { ...options, ifVersion })),
    remove: (id, options = {}) =>
      write(id, options.ifVersion, (ifVersion) => collection.remove(id, { ...options, ifVersion })),
  };
}
