// Exports and imports: all documents of a store as JSON Lines.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exactJson, parseExact, type Schema } from '@petstore/types';
import { createAjv, toJsonNumbers } from './json-schema.ts';
import { linesIn } from './store/disk.ts';
import { type Declaration, type Store, type StoredPage, StoreError } from './store/store.ts';

const FORMAT = 'petstore export 1';

/**
 * JSON Lines, in pieces: a head with the next identifiers, every document, and the number of
 * documents.
 */
export async function* exportLines(
  store: Store,
  declarations: readonly Declaration[],
): AsyncGenerator<string> {
  const nextIds: Record<string, number> = {};
  for (const { name } of declarations) nextIds[name] = await store.nextId(name);
  yield `${JSON.stringify({ format: FORMAT, nextIds })}\n`;
  let count = 0;
  for (const { name } of declarations) {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page: StoredPage = await store.collection(name).list({ after, limit: 1000 });
      const documents = parseExact(page.json) as object[];
      count += documents.length;
      yield documents.map((document) => `${exactJson({ collection: name, document })}\n`).join('');
      after = page.next;
    }
  }
  yield `${JSON.stringify({ documents: count })}\n`;
}

/** What is wrong with a document; undefined if it is as the spec says. */
export type DocumentCheck = (collection: string, document: object) => string | undefined;

/** Checks documents by the schemas of their collections. */
export function documentCheck(
  collections: readonly { readonly name: string; readonly schema: Schema }[],
): DocumentCheck {
  const ajv = createAjv();
  const validators = new Map(collections.map(({ name, schema }) => [name, ajv.compile(schema)]));
  return (collection, document) => {
    const validate = validators.get(collection);
    if (!validate || validate(toJsonNumbers(document))) return undefined;
    return ajv.errorsText(validate.errors, { dataVar: 'document' });
  };
}

/** How many documents of an export were added, and how many were there already. */
export interface Imported {
  readonly added: number;
  readonly present: number;
}

/**
 * Adds the documents of an export to a store. The input is opened twice: it has to be complete, and
 * every document has to pass the check, before anything is written. An import that was interrupted
 * can be repeated.
 */
export async function importExport(
  openInput: () => AsyncIterable<Uint8Array>,
  declarations: readonly Declaration[],
  store: Pick<Store, 'restore' | 'reserve'>,
  check: DocumentCheck = () => undefined,
): Promise<Imported> {
  for await (const documents of new ExportReader(declarations).read(openInput()))
    for (const one of documents) checkDocument(one, check);

  const reader = new ExportReader(declarations);
  let added = 0;
  for await (const documents of reader.read(openInput()))
    for (const [collection, some] of Map.groupBy(documents, (one) => one.collection))
      added += await store.restore(
        collection,
        new Map(some.map(({ id, document }) => [id, document])),
      );
  for (const [collection, nextId] of Object.entries(reader.nextIds))
    await store.reserve(collection, nextId);
  return { added, present: reader.count - added };
}

/**
 * Copies an input that can be read once. The copy is made in the data folder, where there has to be
 * room for it anyway, or else in the temporary folder. It has no name, so that nothing is left of
 * it at the end of the process.
 */
export async function copyInput(
  input: AsyncIterable<Uint8Array>,
  dataDir: string,
): Promise<FileHandle> {
  const folder = existsSync(dataDir) ? dataDir : tmpdir();
  const path = join(folder, `import-${randomUUID()}.tmp`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    await file.writeFile(input);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A document of an export. */
interface ExportedDocument {
  readonly line: number;
  readonly collection: string;
  readonly id: number;
  readonly document: object;
}

function checkDocument({ line, collection, document }: ExportedDocument, check: DocumentCheck) {
  const problem = check(collection, document);
  if (problem !== undefined)
    throw new StoreError(
      `Line ${line}: ${problem}; correct the input, or import it all the same with --unchecked.`,
    );
}

/** Reads the lines of an export, one after the other. */
class ExportReader {
  /** The number of documents so far. */
  count = 0;
  nextIds: Readonly<Record<string, number>> = {};
  /** By name, the property with the identifier. */
  readonly #ids = new Map<string, string>();
  #lines = 0;
  /** The number of documents that the last line says. Undefined before that line. */
  #end: number | undefined;

  constructor(declarations: readonly Declaration[]) {
    for (const { name, id } of declarations) this.#ids.set(name, id);
  }

  /** The documents, those of a chunk at a time. Throws unless the input is a complete export. */
  async *read(input: AsyncIterable<Uint8Array>): AsyncGenerator<ExportedDocument[]> {
    for await (const lines of linesIn(input))
      yield lines.flatMap((line) => this.#readLine(line) ?? []);
    if (this.#end !== this.count)
      throw new StoreError('The input ends early; import the complete export.');
  }

  /** Returns the document of a line; undefined for the head and the end. */
  #readLine(line: Buffer): ExportedDocument | undefined {
    this.#lines += 1;
    const value = objectIn(line);
    if (!value) throw this.#invalid('it is not a JSON object in UTF-8');
    if (this.#end !== undefined) throw this.#invalid('it follows the end of the export');
    if (this.#lines === 1) {
      this.#readHead(value);
      return undefined;
    }
    if (typeof value.documents === 'number') {
      this.#end = value.documents;
      return undefined;
    }
    this.count += 1;
    return this.#documentIn(value);
  }

  #readHead({ format, nextIds }: Line): void {
    if (format !== FORMAT) throw this.#invalid(`it does not have the format '${FORMAT}'`);
    if (!isRecord(nextIds)) throw this.#invalid('it has no next identifiers');
    const checked: Record<string, number> = {};
    for (const [collection, nextId] of Object.entries(nextIds)) {
      this.#idOf(collection);
      if (!isId(nextId)) throw this.#invalid('its next identifiers are not positive integers');
      checked[collection] = nextId;
    }
    this.nextIds = checked;
  }

  #documentIn({ collection, document }: Line): ExportedDocument {
    const name = typeof collection === 'string' ? collection : '';
    const property = this.#idOf(name);
    const id = isRecord(document) ? document[property] : undefined;
    if (!isRecord(document) || !isId(id))
      throw this.#invalid(`its document has no '${property}' that is a positive integer`);
    return { line: this.#lines, collection: name, id, document };
  }

  #idOf(collection: string): string {
    const id = this.#ids.get(collection);
    if (id === undefined) throw this.#invalid(`this server has no collection '${collection}'`);
    return id;
  }

  #invalid(what: string): StoreError {
    return new StoreError(`Line ${this.#lines}: ${what}; correct the input and import again.`);
  }
}

/** The properties of a line: those of the head, of a document, or of the end. */
type Line = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

function objectIn(line: Buffer): Line | undefined {
  try {
    const value = parseExact(utf8.decode(line));
    return isRecord(value) ? value : undefined;
  } catch {
    // The caller says what is wrong.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
