import type { Readable } from 'node:stream';
import { type Schema, schemas } from '@petstore/types';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseJson } from '../http/json.ts';
import type { CollectionDeclaration } from '../store/declaration.ts';
import { decodeText } from '../store/document.ts';
import type { Properties } from '../store/store.ts';
import { ImportError, type ImportedDocument } from './import-documents.ts';

/** The bounds of a batch: documents, and characters of text. */
const MAX_BATCH = { documents: 1000, text: 2 ** 21 };

/** The documents of JSON Lines, in batches. Stops at the first line that is not a document of the collection. */
export async function* documentsOf(
  input: Readable,
  declaration: CollectionDeclaration,
): AsyncGenerator<ImportedDocument[]> {
  const documentIn = documentReader(declaration);
  let batch: ImportedDocument[] = [];
  let text = 0;
  let number = 0;
  let last = 0;
  for await (const line of linesOf(input)) {
    number++;
    const document = documentIn(line);
    if (!document) throw new ImportError(`Line ${number} is not a document of ${declaration.name}.`);
    if (document.id <= last) throw new ImportError(`Line ${number}: the document ${document.id} comes after ${last}.`);
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
  const decoded = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw new ImportError(`Line ${number}, or one soon after it, is not UTF-8.`, { cause });
    }
  };
  /** Pieces of the current line. Joining them at every chunk would take quadratic time. */
  let pieces: string[] = [];
  for await (const chunk of input) {
    const [end = '', ...parts] = decoded(Buffer.from(chunk)).split('\n');
    pieces.push(end);
    for (const part of parts) {
      number++;
      yield pieces.join('');
      pieces = [part];
    }
  }
  pieces.push(decoded());
  if (pieces.some((piece) => piece !== '')) yield pieces.join('');
}

/** Parses lines of an export; undefined without an identifier, or if the schema does not match. */
function documentReader({ id: idProperty, schema }: CollectionDeclaration) {
  const read = schema ? schemaReader(schema) : decodeText;
  return (line: string): ImportedDocument | undefined => {
    try {
      const properties = read(line);
      if (!properties) return undefined;
      const id = properties[idProperty];
      return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? { id, properties } : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Parses a line as strictly as a body; throws or returns undefined if it does not match the schema. */
function schemaReader(schema: Schema) {
  const matches = new Ajv2020({ strict: false, validateFormats: false }).compile({
    ...schema,
    components: { schemas },
  });
  return (line: string): Properties | undefined => {
    const properties = parseJson(Buffer.from(line), schema) as Properties;
    // Without bigints, which the validator does not know.
    return matches(JSON.parse(line)) ? properties : undefined;
  };
}
