import { exactJson, parseExact } from '@petstore/types';
import type { Change, KeyRecord } from './commit-plan.ts';
import type { Memory } from './memory.ts';

type Document = Record<string, unknown>;
type KeyFields = [id: string, fingerprint: string, made: number, status: number];
type DocumentRecord = [collection: string, value: Document | number, key?: KeyFields];
type KeyOnlyRecord = [none: null, sent: [collection: string, document: Document], key: KeyFields];
type ParsedRecord = DocumentRecord | KeyOnlyRecord;

/**
 * A change as the JSON of a record, in a snapshot or a journal:
 * - `["pets",{…}]` adds or replaces a document; an idempotency key may follow it.
 * - `["pets",7]` removes document 7.
 * - `[null,["pets",{…}],[…]]` is an idempotency key with the document of its first response.
 */
export function recordOf(change: Change): string {
  const collection = JSON.stringify(change.collection);
  if (change.kind === 'remove') return `[${collection},${change.id}]`;
  if (change.kind === 'key')
    return `[null,[${collection},${change.key.json}],${keyJson(change.key)}]`;
  const key = change.key ? `,${keyJson(change.key)}` : '';
  return `[${collection},${change.json}${key}]`;
}

/**
 * Applies the JSON of one record. It takes the text of a document without a key from the record,
 * which costs less than to print the document again.
 */
export function applyRecord(memory: Memory, json: string): void {
  const record = parseExact(json) as ParsedRecord;
  const [collection] = record;
  if (collection === null || record.length === 3) {
    memory.apply(changeOf(record, memory));
    return;
  }
  const start = `[${JSON.stringify(collection)},`.length;
  memory.apply(changeOf(record, memory, json.slice(start, -1)));
}

/** Applies the records of a JSON array. */
export function applyRecords(memory: Memory, json: string): void {
  for (const record of parseExact(json) as ParsedRecord[]) memory.apply(changeOf(record, memory));
}

/** The change of a record. `text` is the JSON of its document, if it is known. */
function changeOf(record: ParsedRecord, memory: Memory, text?: string): Change {
  if (record[0] === null) return keyChangeOf(record, memory);
  const [collection, value, fields] = record;
  if (typeof value === 'number') return { kind: 'remove', collection, id: value };
  const json = text ?? exactJson(value);
  const id = idOf(memory, collection, value);
  const key = fields === undefined ? undefined : keyRecord(fields, json);
  return { kind: 'put', collection, id, json, document: value, key };
}

function keyChangeOf([, sent, fields]: KeyOnlyRecord, memory: Memory): Change {
  const [collection, document] = sent;
  const json = exactJson(document);
  const stored = memory.text(collection, idOf(memory, collection, document));
  // The stored document, if it is still the same, and the key share one text in memory.
  const shared = stored === json ? stored : json;
  return { kind: 'key', collection, key: keyRecord(fields, shared) };
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
