import { exactJson, parseExact } from '@petstore/types';
import type { Change, KeyRecord } from './commit-plan.ts';
import type { Memory } from './memory.ts';

type Document = Record<string, unknown>;
type KeyFields = [id: string, fingerprint: string, made: number, status: number];
type SentDocument = [collection: string, document: Document];
type ParsedRecord =
  | [collection: string, value: Document | number, key?: KeyFields]
  | [collection: null, sent: SentDocument, key: KeyFields];

/**
 * A change as the JSON of a record, in a snapshot or a journal:
 * - `["pets",{…}]` adds or replaces a document; an idempotency key may follow it.
 * - `["pets",7]` removes document 7.
 * - `[null,["pets",{…}],[…]]` is an idempotency key whose response was a document that is not
 *   written here.
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
  return `${documentStart(collection)}${json}]`;
}

function documentStart(collection: string): string {
  return `[${JSON.stringify(collection)},`;
}

/**
 * Applies the JSON of one record. The text of a document without a key is kept as it is, and not
 * printed again.
 */
export function applyRecord(memory: Memory, json: string): void {
  const record = parseExact(json) as ParsedRecord;
  const [collection, , key] = record;
  const hasText = collection !== null && key === undefined;
  const text = hasText ? json.slice(documentStart(collection).length, -1) : undefined;
  apply(memory, record, text);
}

/** Applies the records of a JSON array. */
export function applyRecords(memory: Memory, json: string): void {
  for (const record of parseExact(json) as ParsedRecord[]) apply(memory, record);
}

/** Applies a record. `text` is the JSON of its document, if it is known. */
function apply(memory: Memory, record: ParsedRecord, text?: string): void {
  if (record[0] === null) {
    applyKey(memory, record[1], record[2]);
    return;
  }
  const [collection, value, keyFields] = record;
  if (typeof value === 'number') {
    memory.apply({ kind: 'remove', collection, id: value });
    return;
  }
  const json = text ?? exactJson(value);
  const id = idOf(memory, collection, value);
  const key = keyFields === undefined ? undefined : keyRecord(keyFields, json);
  memory.apply({ kind: 'put', collection, id, json, document: value, key });
}

function applyKey(memory: Memory, sent: SentDocument, fields: KeyFields): void {
  const [collection, document] = sent;
  const json = exactJson(document);
  const stored = memory.get(collection, idOf(memory, collection, document));
  // As long as the document stays as it is, its text is in memory once.
  const shared = stored === json ? stored : json;
  memory.apply({ kind: 'key', collection, key: keyRecord(fields, shared) });
}

function idOf(memory: Memory, collection: string, document: Document): number {
  return Number(document[memory.collection(collection).declaration.id]);
}

function keyJson({ id, fingerprint, made, status }: KeyRecord): string {
  const fields: KeyFields = [id, fingerprint, made, status];
  return JSON.stringify(fields);
}

function keyRecord(fields: KeyFields, json: string): KeyRecord {
  const [id, fingerprint, made, status] = fields;
  return { id, fingerprint, made, status, json };
}
