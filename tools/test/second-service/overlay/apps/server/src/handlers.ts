import { type Api, type Book, type Input, type Loan, operations } from '@petstore/types';
import { HttpError } from './http/http-error.ts';
import type { StoredResponse } from './http/response.ts';
import { MAX_PAGE_BYTES } from './limits.ts';
import { decode } from './store/document.ts';
import type { Collection, Properties, Store } from './store/store.ts';

const { limit: limitField } = operations.listBooks.fields;
const { size: sizeField } = operations.listLoans.fields;

/** A picture, and the book whose cover it shows. */
interface Cover {
  id: number;
  bookId: number;
  base64: string;
}

/** The operations of the library. */
export function handlers(store: Store): Api {
  const books = () => store.collection('books');
  const loans = () => store.collection('loans');
  const covers = () => store.collection('covers');

  const bookOf = async (id: number) =>
    found(await read<Book>(books(), id), `There is no book with the identifier ${id}.`);
  const loanOf = async (bookId: number, id: number) => {
    const loan = await read<Loan>(loans(), id);
    return found(loan?.bookId === bookId ? loan : undefined, `The book ${bookId} has no loan ${id}.`);
  };
  const ofBook = (collection: Collection, bookId: number, after: number, limit: number) =>
    collection.list({ after, limit, maxBytes: MAX_PAGE_BYTES, filter: { property: 'bookId', value: bookId } });
  const coverOf = async (bookId: number) => decode<Cover[]>((await ofBook(covers(), bookId, 0, 1)).json)[0];

  return {
    listBooks: async ({ limit = limitField.schema.default, after = 0, genre, state } = {}) => {
      const listed: Book[] = [];
      const filter = state && { filter: { property: 'state', value: state } };
      for (let last = after, more = true; more && listed.length < limit; ) {
        const page = await books().list({ after: last, limit, maxBytes: MAX_PAGE_BYTES, ...filter });
        listed.push(...decode<Book[]>(page.json).filter((book) => !genre || genre.includes(book.genre)));
        ({ last, more } = page);
      }
      return listed.slice(0, limit);
    },
    createBook: async (book) => written(await books().create(book)),
    getBook: ({ 'book-id': id }) => bookOf(id),
    replaceBook: async ({ 'book-id': id, ...book }) => written(await books().replace(id, book)),
    patchBook: async ({ 'book-id': id, ...patch }) => {
      for (;;) {
        const book = found(await books().get(id), `There is no book with the identifier ${id}.`);
        // A change that came between is not overwritten: the patch is applied to it.
        const result = await books().replace(id, merged(decode(book.json), patch), { ifVersion: book.version });
        if (result.outcome !== 'conflict') return written(result);
      }
    },
    removeBook: async ({ 'book-id': id }) => {
      written(await books().remove(id));
    },

    uploadCover: async ({ 'book-id': id, picture }) => {
      await bookOf(id);
      const known = await coverOf(id);
      const cover = { bookId: id, base64: Buffer.from(await new Response(picture).arrayBuffer()).toString('base64') };
      written(known ? await covers().replace(known.id, cover) : await covers().create(cover));
    },
    getCover: async ({ 'book-id': id }) => {
      const { base64 } = found(await coverOf(id), `The book ${id} has no cover.`);
      return new Blob([Buffer.from(base64, 'base64')]).stream();
    },

    listLoans: async ({ 'book-id': id, cursor = '0', size = sizeField.schema.default }) => {
      await bookOf(id);
      const page = await ofBook(loans(), id, Number(cursor), size);
      return { items: decode<Loan[]>(page.json), ...(page.more && { nextCursor: String(page.last) }) };
    },
    createLoan: async ({ 'book-id': bookId, ...loan }) => {
      await bookOf(bookId);
      return written(await loans().create({ bookId, ...loan }));
    },
    getLoan: ({ 'book-id': bookId, loanId }) => loanOf(bookId, loanId),
    replaceLoan: async ({ 'book-id': bookId, loanId, ...loan }) => {
      await loanOf(bookId, loanId);
      return written(await loans().replace(loanId, { bookId, ...loan }));
    },
    removeLoan: async ({ 'book-id': bookId, loanId }) => {
      await loanOf(bookId, loanId);
      written(await loans().remove(loanId));
    },
    remindReader: async ({ 'book-id': bookId, loanId }) => {
      await loanOf(bookId, loanId);
    },
  };
}

/** A book is sent as the store has it, with its version. */
export function storedHandlers(store: Store) {
  return {
    getBook: async ({ 'book-id': id }: Input<'getBook'>): Promise<StoredResponse | undefined> => {
      const document = await store.collection('books').get(id);
      return document && { json: document.json, version: document.version };
    },
  };
}

async function read<T>(collection: Collection, id: number): Promise<T | undefined> {
  const document = await collection.get(id);
  return document && decode<T>(document.json);
}

function found<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new HttpError('not_found', message);
  return value;
}

type Written = Awaited<ReturnType<Collection['replace'] | Collection['remove']>>;

/** What a write has stored. */
function written<T>(result: Written): T {
  if (result.outcome === 'missing') throw new HttpError('not_found', 'There is nothing to change.');
  return (result.outcome === 'stored' ? decode(result.json) : undefined) as T;
}

/** RFC 7396, for a patch that nests no deeper than the properties do. */
function merged(target: Properties, patch: Properties): Properties {
  const result: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (isObject(value)) result[name] = merged(isObject(result[name]) ? result[name] : {}, value);
    else result[name] = value;
  }
  return result;
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
