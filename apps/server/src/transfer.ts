import { exactJson, parseExact } from '@petstore/types';
import { linesIn } from './store/disk.ts';
import { type Declaration, type Store, StoreError } from './store/store.ts';

const FORMAT = 'petstore export 1';

/** JSON Lines, in pieces: a head with the next identifiers, every document, and the number of documents. */
export async function* exportLines(
  store: Store,
  declarations: readonly Declaration[],
): AsyncGenerator<string> {
  const nextIds: Record<string, number> = {};
  for (const { name } of declarations) nextIds[name] = await store.nextId(name);
  yield `${JSON.stringify({ format: FORMAT, nextIds })}\n`;
  let count = 0;
  for (const { name } of declarations) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page = await store.collection(name).list({ after, limit: 1000 });
      const documents = parseExact(page.json) as object[];
      count += documents.length;
      yield documents.map((document) => `${exactJson({ collection: name, document })}\n`).join('');
      after = page.next;
    }
  }
  yield `${JSON.stringify({ documents: count })}\n`;
}

/** What a line of an export has: the head, a document, or the end. */
interface Line {
  readonly format?: string;
  readonly nextIds?: Record<string, number>;
  readonly collection?: string;
  readonly document?: Record<string, unknown>;
  readonly documents?: number;
}

/** Adds the documents of an export to a store. An import that was interrupted can be repeated. Returns the number of documents. */
export async function importLines(
  store: Pick<Store, 'restore'>,
  declarations: readonly Declaration[],
  input: AsyncIterable<Uint8Array>,
): Promise<number> {
  let nextIds: Record<string, number> | undefined;
  let [number, count, end] = [0, 0, -1];
  const restored = new Map(
    declarations.map(({ name, id }) => [name, { id, documents: new Map<number, object>() }]),
  );
  /** Takes a line, or returns what is wrong with it. */
  const take = ({
    format,
    nextIds: given,
    collection = '',
    document,
    documents,
  }: Line): string | undefined => {
    const unknown = [collection, ...Object.keys(given ?? {})].find(
      (name) => name !== '' && !restored.has(name),
    );
    if (unknown !== undefined) return `this server has no collection '${unknown}'`;
    if (end >= 0) return 'it follows the end of the export';
    if (!nextIds) {
      nextIds = given ?? {};
      if (format !== FORMAT) return `it does not have the format '${FORMAT}'`;
      return Object.values(nextIds).every(isId)
        ? undefined
        : 'its next identifiers are not positive integers';
    }
    const target = restored.get(collection);
    const id = target && document?.[target.id];
    if (documents !== undefined) end = documents;
    else if (!document || !isId(id))
      return `its document has no '${target?.id ?? 'collection'}' that is a positive integer`;
    else if (target?.documents.set(id, document)) count++;
    return undefined;
  };
  for await (const lines of linesIn(input)) {
    for (const line of lines) {
      number++;
      const value = objectIn(line);
      const problem = value ? take(value) : 'it is not a JSON object in UTF-8';
      if (problem)
        throw new StoreError(`Line ${number}: ${problem}; correct the input and import again.`);
    }
    for (const [name, { documents }] of restored) {
      if (documents.size > 0) await store.restore(name, documents, nextIds?.[name] ?? 1);
      documents.clear();
    }
  }
  if (end !== count) throw new StoreError('The input ends early; import the complete export.');
  for (const [name, nextId] of Object.entries(nextIds ?? {}))
    await store.restore(name, new Map(), nextId);
  return count;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function objectIn(line: Buffer): Line | undefined {
  try {
    const value = parseExact(utf8.decode(line));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
