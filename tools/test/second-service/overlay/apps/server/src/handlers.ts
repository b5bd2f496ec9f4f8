import { type Book, type Loan, operations } from '@petstore/types';
import { HttpError } from './http/http-error.ts';
import { decode } from './store/document.ts';
import type { Collection, Properties, Store } from './store/store.ts';
import { type Handlers, stored } from './store/stored.ts';

const { limit: limitField } = operations.listBooks.fields;
const { size: sizeField } = operations.listLoans.fields;

/** A picture, and the book whose cover it shows. */
interface Cover {
  id: number;
  bookId: number;
  base64: string;
}

/** The operations of the library. */
export function handlers(store: Store): Handlers {
  const books = () => store.collection('books');
  const loans = () => store.collection('loans');
  const covers = () => store.collection('covers');

  const noBook = (id: number) => () => new HttpError('not_found', `There is no book with the identifier ${id}.`);
  const bookOf = (id: number) => stored<Book>(books(), (books) => books.get(id), noBook(id));
  const loanOf = async (bookId: number, id: number) => {
    const noLoan = () => new HttpError('not_found', `The book ${bookId} has no loan ${id}.`);
    const loan = await stored<Loan>(loans(), (loans) => loans.get(id), noLoan);
    if (loan.decode().bookId !== bookId) throw noLoan();
    return loan;
  };
  const ofBook = (collection: Collection, bookId: number, after: number, limit: number) =>
    collection.list({ after, limit, filter: { property: 'bookId', value: bookId } });
  const coverOf = async (bookId: number) => decode<Cover[]>((await ofBook(covers(), bookId, 0, 1)).json)[0];

  return {
    listBooks: async ({ limit = limitField.schema.default, after = 0, genre, state } = {}) => {
      const listed: Book[] = [];
      const filter = state && { filter: { property: 'state', value: state } };
      for (let last = after, more = true; more && listed.length < limit; ) {
        const page = await books().list({ after: last, limit, ...filter });
        listed.push(...decode<Book[]>(page.json).filter((book) => !genre || genre.includes(book.genre)));
        ({ last, more } = page);
      }
      return listed.slice(0, limit);
    },
    createBook: (book) => stored(books(), (books) => books.create(book)),
    getBook: ({ 'book-id': id }) => bookOf(id),
    replaceBook: ({ 'book-id': id, ...book }) => stored(books(), (books) => books.replace(id, book), noBook(id)),
    patchBook: async ({ 'book-id': id, ...patch }) => {
      for (;;) {
        const book = await books().get(id);
        if (!book) throw noBook(id)();
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
      return stored(loans(), (loans) => loans.create({ bookId, ...loan }));
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
