// Exports and imports: all documents of a store as JSON Lines.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exactJson, parseExact } from '@petstore/types';
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

/** How many documents of an export were added, and how many were there already. */
export interface Imported {
  readonly added: number;
  readonly present: number;
}

export interface ImportOptions {
  readonly declarations: readonly Declaration[];
  /** Where the input is copied to. There has to be room for it anyway. */
  readonly folder: string;
  /** Every document has to pass it. */
  readonly check?: DocumentCheck | undefined;
}

/**
 * Adds the documents of an export to a store. The export is read twice: all of it is checked before anything is written. An
 * import that was interrupted can be repeated.
 */
export async function importLines(
  input: AsyncIterable<Uint8Array>,
  store: Pick<Store, 'restore' | 'reserve'>,
  { declarations, folder, check }: ImportOptions,
): Promise<Imported> {
  await using file = await openUnnamed(folder);
  await file.writeFile(input);
  await checkLines(readAgain(file), new ExportReader(declarations), check);
  return await restoreLines(readAgain(file), new ExportReader(declarations), store);
}

/** Opens a file in a folder, or else in the temporary folder. It has no name, so that the end of the process removes it. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(existsSync(folder) ? folder : tmpdir(), `import-${randomUUID()}.tmp`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

function readAgain(file: FileHandle): AsyncIterable<Uint8Array> {
  return file.createReadStream({ start: 0, autoClose: false });
}

async function checkLines(
  input: AsyncIterable<Uint8Array>,
  reader: ExportReader,
  check: DocumentCheck | undefined,
): Promise<void> {
  for await (const lines of linesIn(input)) {
    for (const line of lines) {
      const found = reader.take(line);
      const problem = found && check?.(found.collection, found.document);
      if (problem !== undefined)
        throw reader.problem(
          `${problem}; correct the input, or import it all the same with --unchecked.`,
        );
    }
  }
  reader.finish();
}

async function restoreLines(
  input: AsyncIterable<Uint8Array>,
  reader: ExportReader,
  store: Pick<Store, 'restore' | 'reserve'>,
): Promise<Imported> {
  let added = 0;
  for await (const lines of linesIn(input)) {
    const found = lines.flatMap((line) => reader.take(line) ?? []);
    for (const [collection, some] of Map.groupBy(found, (one) => one.collection)) {
      const documents = new Map(some.map(({ id, document }) => [id, document]));
      added += await store.restore(collection, documents);
    }
  }
  for (const [collection, nextId] of Object.entries(reader.nextIds))
    await store.reserve(collection, nextId);
  return { added, present: reader.count - added };
}

interface Found {
  readonly collection: string;
  readonly id: number;
  readonly document: object;
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

  /** Returns the document of a line; undefined for the head and the end. */
  take(line: Buffer): Found | undefined {
    this.#lines += 1;
    const value = objectIn(line);
    if (!value) throw this.#invalid('it is not a JSON object in UTF-8');
    if (this.#end !== undefined) throw this.#invalid('it follows the end of the export');
    if (this.#lines === 1) {
      this.#takeHead(value);
      return undefined;
    }
    if (typeof value.documents === 'number') {
      this.#end = value.documents;
      return undefined;
    }
    this.count += 1;
    return this.#documentIn(value);
  }

  /** Throws unless the last line was the end. */
  finish(): void {
    if (this.#end === undefined || this.#end !== this.count)
      throw new StoreError('The input ends early; import the complete export.');
  }

  problem(what: string): StoreError {
    return new StoreError(`Line ${this.#lines}: ${what}`);
  }

  #takeHead({ format, nextIds }: Line): void {
    if (format !== FORMAT)
      throw this.#invalid(
        `it does not have the format '${FORMAT}' that 'petstore-server export' prints`,
      );
    if (!isRecord(nextIds)) throw this.#invalid('it has no next identifiers');
    const taken: Record<string, number> = {};
    for (const [collection, nextId] of Object.entries(nextIds)) {
      this.#idOf(collection);
      if (!isId(nextId)) throw this.#invalid('its next identifiers are not positive integers');
      taken[collection] = nextId;
    }
    this.nextIds = taken;
  }

  #documentIn({ collection, document }: Line): Found {
    const name = typeof collection === 'string' ? collection : '';
    const property = this.#idOf(name);
    const id = isRecord(document) ? document[property] : undefined;
    if (!isRecord(document) || !isId(id))
      throw this.#invalid(`its document has no '${property}' that is a positive integer`);
    return { collection: name, id, document };
  }

  #idOf(collection: string): string {
    const id = this.#ids.get(collection);
    if (id === undefined) throw this.#invalid(`this server has no collection '${collection}'`);
    return id;
  }

  #invalid(what: string): StoreError {
    return this.problem(`${what}; correct the input and import again.`);
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
