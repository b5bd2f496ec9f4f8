import { exactJson, parseExact } from '@petstore/types';
import type { Change, KeyRecord } from './commit-plan.ts';
import type { Memory } from './memory.ts';

type KeyFields = [id: string, fingerprint: string, made: number, status: number];
type Document = Record<string, unknown>;

/**
 * A change as the JSON of a record, in a snapshot or a journal:
 * - `["pets",{…}]` adds or replaces a document; an idempotency key may follow it.
 * - `["pets",7]` removes document 7.
 * - `[null,["pets",{…}],[…]]` is an idempotency key whose response was a document that is not written here.
 */
export function recordOf(change: Change): string {
  if (change.kind === 'remove') return `[${JSON.stringify(change.collection)},${change.id}]`;
  if (change.kind === 'key') {
    const sent = documentRecord(change.collection, change.key.json);
    return `[null,${sent},${keyJson(change.key)}]`;
  }
  const document = documentRecord(change.collection, change.json);
  return change.key ? `${document.slice(0, -1)},${keyJson(change.key)}]` : document;
}

/** The record of a document without a key. */
function documentRecord(collection: string, json: string): string {
  return `[${JSON.stringify(collection)},${json}]`;
}

/** Applies a parsed record. `json` is the text of a document without a key, if it is known. */
export function applyRecord(memory: Memory, record: readonly unknown[], json?: string): void {
  const [collection, value, key] = record;
  if (collection === null) {
    applyKey(memory, value as [string, Document], key as KeyFields);
  } else if (typeof value === 'number') {
    memory.apply({ kind: 'remove', collection: String(collection), id: value });
  } else {
    applyDocument(
      memory,
      String(collection),
      value as Document,
      key as KeyFields | undefined,
      json,
    );
  }
}

function applyDocument(
  memory: Memory,
  collection: string,
  document: Document,
  key: KeyFields | undefined,
  json = exactJson(document),
): void {
  const id = Number(document[memory.collection(collection).declaration.id]);
  const record = key === undefined ? undefined : keyRecord(key, json);
  memory.apply({ kind: 'put', collection, id, json, document, key: record });
}

function applyKey(memory: Memory, sent: [string, Document], key: KeyFields): void {
  const [collection, document] = sent;
  const { declaration, text } = memory.collection(collection);
  const json = exactJson(document);
  const stored = text(Number(document[declaration.id]));
  // As long as the document stays as it is, its text is in memory once.
  const shared = stored === json ? stored : json;
  memory.apply({ kind: 'key', collection, key: keyRecord(key, shared) });
}

function keyJson({ id, fingerprint, made, status }: KeyRecord): string {
  const fields: KeyFields = [id, fingerprint, made, status];
  return JSON.stringify(fields);
}

function keyRecord(fields: KeyFields, json: string): KeyRecord {
  const [id, fingerprint, made, status] = fields;
  return { id, fingerprint, made, status, json };
}

/** Parses the JSON of records. */
export function parseRecord(json: string): readonly unknown[] {
  return parseExact(json) as readonly unknown[];
}
