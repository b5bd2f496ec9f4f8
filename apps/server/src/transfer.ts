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
  let nextIds: Readonly<Record<string, number>> | undefined;
  let group: { collection: string; documents: Map<number, object>; size: number } | undefined;
  let [number, count, end] = [0, 0, -1];
  const restore = async () => {
    if (group) await store.restore(group.collection, group.documents, nextIds?.[group.collection] ?? 1);
    group = undefined;
  };

  for await (const text of linesOf(input)) {
    number++;
    const refuse = (what: string) => new StoreError(`Line ${number}: ${what}; correct the input and import again.`);
    const line = parsed(text);
    if (!line) throw refuse('it is not a JSON object');
    if (!nextIds) {
      if (line.format !== FORMAT) throw refuse(`it does not have the format '${FORMAT}'`);
      if (!areNextIds(line.nextIds)) throw refuse('its next identifiers are not positive integers');
      nextIds = line.nextIds;
      const unknown = Object.keys(nextIds).find((name) => !declarations.some((one) => one.name === name));
      if (unknown !== undefined) throw refuse(`this server has no collection '${unknown}'`);
      continue;
    }
    if (end >= 0) throw refuse('it follows the end of the export');
    if (typeof line.documents === 'number') {
      end = line.documents;
      continue;
    }
    const declaration = declarations.find(({ name }) => name === line.collection);
    if (!declaration) throw refuse(`this server has no collection '${line.collection}'`);
    const document = line.document;
    const id = isObject(document) ? document[declaration.id] : undefined;
    if (!isObject(document) || !Number.isSafeInteger(id) || Number(id) < 1)
      throw refuse(`its document has no '${declaration.id}' that is a positive integer`);

    if (group?.collection !== declaration.name) await restore();
    group ??= { collection: declaration.name, documents: new Map(), size: 0 };
    group.documents.set(Number(id), document);
    group.size += text.length;
    count++;
    if (group.documents.size >= GROUP.documents || group.size >= GROUP.size) await restore();
  }
  await restore();
  if (end !== count) throw new StoreError('The input ends early; import the complete export.');
  for (const [name, nextId] of Object.entries(nextIds ?? {})) await store.restore(name, new Map(), nextId);
  return count;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const line = parseExact(text);
    return isObject(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function areNextIds(value: unknown): value is Readonly<Record<string, number>> {
  return isObject(value) && Object.values(value).every((one) => Number.isSafeInteger(one) && Number(one) > 0);
}

/** Splits at line feeds only. Malformed UTF-8 is refused, because it would be stored as other text. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pieces: string[] = [];
  try {
    for await (const chunk of input) {
      const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
      pieces.push(end);
      for (const line of lines) {
        yield pieces.join('');
        pieces = [line];
      }
    }
    pieces.push(decoder.decode());
  } catch (error) {
    throw new StoreError(`The input cannot be read (${messageOf(error)}); import again from the start.`, {
      cause: error,
    });
  }
  if (pieces.some((piece) => piece !== '')) yield pieces.join('');
}
