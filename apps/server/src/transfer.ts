import { exactJson, parseExact } from '@petstore/types';
import { type Awaitable, type Collection, type Declaration, messageOf, type Store, StoreError } from './store/store.ts';

const FORMAT = 'petstore export 1';

/** How many documents, and about how many characters, are imported in one go. */
const GROUP = { documents: 500, size: 2 ** 21 };

/** What can be exported: a store, or what `readLowdbFolder` returns. */
export interface Source {
  nextId(collection: string): Awaitable<number>;
  collection(name: string): Pick<Collection, 'list'>;
}

/** JSON Lines, in pieces: a head with the next identifiers, every document, and the number of documents. */
export async function* exportLines(source: Source, declarations: readonly Declaration[]): AsyncGenerator<string> {
  const nextIds: Record<string, number> = {};
  for (const { name } of declarations) nextIds[name] = await source.nextId(name);
  yield `${JSON.stringify({ format: FORMAT, nextIds })}\n`;
  let count = 0;
  for (const { name } of declarations) {
    const collection = source.collection(name);
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { json, next }: { json: string; next?: number } = await collection.list({ after, limit: 1000 });
      const documents = parseExact(json) as object[];
      count += documents.length;
      yield documents.map((document) => `${exactJson({ collection: name, document })}\n`).join('');
      after = next;
    }
  }
  yield `${JSON.stringify({ documents: count })}\n`;
}

/** Adds the documents of an export to a store. An import that was interrupted can be repeated. Returns the number of documents. */
export async function importLines(
  store: Pick<Store, 'restore'>,
  declarations: readonly Declaration[],
  input: AsyncIterable<Uint8Array>,
): Promise<number> {
  const idOf = new Map(declarations.map(({ name, id }) => [name, id]));
  let nextIds: Record<string, number> | undefined;
  let group = { collection: '', documents: new Map<number, object>(), size: 0 };
  let [number, count, end] = [0, 0, -1];
  const restore = async () => {
    const { collection, documents } = group;
    if (documents.size > 0) await store.restore(collection, documents, nextIds?.[collection] ?? 1);
    group = { collection: '', documents: new Map(), size: 0 };
  };

  for await (const text of linesOf(input)) {
    number++;
    const refuse = (what: string) => new StoreError(`Line ${number}: ${what}; correct the input and import again.`);
    const line = objectIn(text);
    if (!line) throw refuse('it is not a JSON object');
    const unknown = [line.collection, ...Object.keys(line.nextIds ?? {})].find((name) => name && !idOf.has(name));
    if (unknown) throw refuse(`this server has no collection '${unknown}'`);
    if (end >= 0) throw refuse('it follows the end of the export');
    if (!nextIds) {
      if (line.format !== FORMAT) throw refuse(`it does not have the format '${FORMAT}'`);
      nextIds = line.nextIds ?? {};
      if (!Object.values(nextIds).every(isId)) throw refuse('its next identifiers are not positive integers');
    } else if (line.documents !== undefined) {
      end = line.documents;
    } else {
      const { collection = '', document } = line;
      const property = idOf.get(collection) ?? '';
      const id = document?.[property];
      if (!document || !isId(id)) throw refuse(`its document has no '${property}' that is a positive integer`);
      if (group.collection !== collection) await restore();
      group.collection = collection;
      group.documents.set(id, document);
      group.size += text.length;
      count++;
      if (group.documents.size >= GROUP.documents || group.size >= GROUP.size) await restore();
    }
  }
  await restore();
  if (end !== count) throw new StoreError('The input ends early; import the complete export.');
  for (const [name, nextId] of Object.entries(nextIds ?? {})) await store.restore(name, new Map(), nextId);
  return count;
}

/** What a line may have. */
interface Line {
  readonly format?: string;
  readonly nextIds?: Record<string, number>;
  readonly collection?: string;
  readonly document?: Record<string, unknown>;
  readonly documents?: number;
}

function objectIn(text: string): Line | undefined {
  try {
    const line = parseExact(text);
    return typeof line === 'object' && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** Splits at line feeds only. Malformed UTF-8 is refused, because it would be stored as other text. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const chunk of input) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    rest += decoder.decode();
  } catch (error) {
    const message = `The input cannot be read (${messageOf(error)}); import again from the start.`;
    throw new StoreError(message, { cause: error });
  }
  if (rest !== '') yield rest;
}
