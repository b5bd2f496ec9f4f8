import type { Readable } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { errorCode, reasonOf } from '../files/files.ts';
import { HttpError, invalidRequest } from '../http/http-error.ts';
import { parseJson } from '../http/json.ts';
import { violationOf } from '../http/validation/violation.ts';
import { canonical } from '../http/values.ts';
import { schemas } from '../old.ts';
import { type CollectionDeclaration, decode, decodeText, documentsIn } from '../store/document.ts';
import type { Collection, Properties, Store } from '../store/store.ts';
import { ImportError } from './errors.ts';

/** The bounds of a batch: documents, and characters of text. */
const MAX_BATCH = { documents: 1000, text: 2 ** 21 };

/** A document of an export, with all of its properties. */
export interface ImportedDocument {
  readonly id: number;
  readonly properties: Properties;
}

/**
 * Stores documents with their identifiers, in ascending order. Existing documents have to be equal and are never replaced,
 * so an interrupted import can be repeated.
 */
export async function importDocuments(
  store: Store,
  declaration: CollectionDeclaration,
  batches: AsyncIterable<ImportedDocument[]>,
  onProgress: (documents: number) => void,
) {
  const collection = store.collection(declaration.name);
  /** The numbers of documents: new ones, and equal ones that the store already had. */
  const imported = { added: 0, existing: 0 };
  /** Whether the remaining documents follow the last stored document. */
  let isPastStored = false;
  for await (const batch of batches) {
    const existing = isPastStored ? 0 : await countExisting(collection, declaration, batch);
    const added = batch.slice(existing);
    isPastStored = added.length > 0;
    if (isPastStored && !(await collection.restore(added.map(({ properties }) => properties))))
      throw new ImportError(
        `The store already used the identifier ${added[0]?.id} of ${declaration.name} or a higher one; stop all servers.`,
      );
    imported.existing += existing;
    imported.added += added.length;
    onProgress(imported.added + imported.existing);
  }
  return imported;
}

/** The number of documents of the batch that the store has. Rejects if one differs, or if it lacks one but has later ones. */
async function countExisting(
  collection: Collection,
  { name, id: idProperty }: CollectionDeclaration,
  batch: readonly ImportedDocument[],
): Promise<number> {
  let count = 0;
  while (count < batch.length) {
    const page = await collection.list({ after: (batch[count]?.id ?? 0) - 1, limit: batch.length - count });
    if (page.count === 0) break;
    const pageDocuments = documentsIn(page).map((document) => decode(document));
    const storedById = new Map(pageDocuments.map((properties) => [properties[idProperty], properties]));
    for (let document = batch[count]; document && document.id <= page.last; document = batch[++count]) {
      const stored = storedById.get(document.id);
      if (stored === undefined)
        throw new ImportError(
          `The store has no document ${document.id} in ${name}, but later ones; import into an empty store.`,
        );
      // The store writes -0 as 0, and `canonical` does not distinguish them, either.
      if (canonical(stored) !== canonical(document.properties))
        throw new ImportError(
          `The document ${document.id} of ${name} differs from the stored one, which an import never replaces; import into an empty store.`,
        );
    }
  }
  return count;
}

/** The documents of JSON Lines, in batches. Stops at the first line that is not a document of the collection. */
export async function* documentsOf(
  input: Readable,
  declaration: CollectionDeclaration,
): AsyncGenerator<ImportedDocument[]> {
  const parseDocument = documentParser(declaration);
  let batch: ImportedDocument[] = [];
  let text = 0;
  let number = 0;
  let last = 0;
  for await (const line of linesOf(input)) {
    number++;
    const document = parseDocument(line, `Line ${number}`);
    if (document.id <= last)
      throw new ImportError(
        `Line ${number}: the identifier ${document.id} follows ${last}; sort the documents by identifier, each once.`,
      );
    last = document.id;
    batch.push(document);
    text += line.length;
    if (batch.length < MAX_BATCH.documents && text < MAX_BATCH.text) continue;
    yield batch;
    batch = [];
    text = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Splits at line feeds only. Node's readline would also split at separators that JSON strings may contain. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  // Rejects malformed UTF-8, which would be stored as other text.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 1;
  /** Pieces of the current line. Joining the pieces at every chunk would take quadratic time. */
  let pieces: string[] = [];
  try {
    for await (const chunk of input) {
      const [end = '', ...parts] = decoder.decode(chunk, { stream: true }).split('\n');
      pieces.push(end);
      for (const part of parts) {
        number++;
        yield pieces.join('');
        pieces = [part];
      }
    }
    pieces.push(decoder.decode());
  } catch (cause) {
    const message =
      errorCode(cause) === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? `Line ${number}, or one soon after it, is not UTF-8; convert the input and import again.`
        : `The input cannot be read (${reasonOf(cause)}); import again from the start.`;
    throw new ImportError(message, { cause });
  }
  if (pieces.some((piece) => piece !== '')) yield pieces.join('');
}

/**
 * Returns a parser for the lines of an export, as strict as the parser of request bodies. The parser throws an ImportError for a line that
 * is not JSON, has no identifier, or does not match the schema.
 */
function documentParser({ id: idProperty, schema }: CollectionDeclaration) {
  const options = { strict: false, validateFormats: false };
  const matches = schema && new Ajv2020(options).compile({ ...schema, components: { schemas } });
  const parse = (line: string, where: string): ImportedDocument => {
    const properties = schema ? (parseJson(Buffer.from(line), schema, where) as Properties) : decodeText(line);
    // The validator does not support bigints, so it gets the result of `JSON.parse`, which has none.
    if (matches && !matches(JSON.parse(line))) {
      const errors = matches.errors ?? [];
      throw invalidRequest(
        errors.map((error) => violationOf({ ...error, instancePath: `/${where}${error.instancePath}` })),
      );
    }
    const id = properties?.[idProperty];
    if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return { id, properties };
    const message = `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;
    throw invalidRequest([{ location: where, names: [idProperty], keyword: 'type', message }]);
  };
  return (line: string, where: string) => {
    try {
      return parse(line, where);
    } catch (cause) {
      // `decodeText` throws other errors than HttpErrors, for text that is not JSON.
      const reason = cause instanceof HttpError ? cause.message : `${where}: it is not JSON`;
      // The terminal must not execute control characters in names.
      const shown = reason.replace(/\p{Cc}/gu, encodeURIComponent);
      throw new ImportError(`${shown}; correct it and import again.`, { cause });
    }
  };
}
