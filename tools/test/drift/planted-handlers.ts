import { edits, type PlantedDrift, put, source } from './planting.ts';

/** Edits of a function of handlers.ts. */
const query = (find: string, by: string) => put('function queryOf', find, by);
const list = (find: string, by: string) => put('listPets: async', find, by);

/** Another limit of a page. */
const limit = (code: string) => query('return { limit,', `return { limit: ${code},`);

/** Another `createPet`. */
export const createPet = 'createPet: async (pet) => decode<Pet>((await pets().create({ ...pet })).json)';
const creates = (code: string) => put('return {', createPet, `createPet: async ${code}`);

/** `createPet` stores and returns something else than `sent`. */
const stores = (code: string) =>
  creates(`(sent) => { const pet = ${code}; return { id: (await pets().create({ ...pet })).id, ...pet }; }`);

/** `createPet` rejects some pets. */
const rejects = (condition: string) =>
  creates(
    `(pet) => { if (${condition}) throw new HttpError('invalid_request', 'No.'); return decode<Pet>((await pets().create({ ...pet })).json); }`,
  );

const sorted = 'decode<Pet[]>((await pets().list(queryOf(input))).json)';
const late = "throw new Error('late');";

/** In the handlers: the running server shows them. */
export const plantedInHandlers: PlantedDrift[] = edits('conformance', source.handlers, {
  // Errors that are thrown outside of requests.
  'an error in a timer': put('export function handlers', 'return {', `setTimeout(() => { ${late} }, 1);\n  return {`),
  'an error behind a response': put(
    'export function storedHandlers',
    'const state =',
    `setImmediate(() => { ${late} });\n      const state =`,
  ),
  'an error at import': put('/** The operations', 'export', "throw new Error('early');\nexport"),

  // Results that are not declared.
  'a property that is not declared': creates(
    '(pet) => ({ ...decode<Pet>((await pets().create({ ...pet })).json), colour: 1 }) as Pet',
  ),
  'a property that is not declared, as the store has it': put(
    'createPet: (pet',
    '=> ({ json })',
    `=> ({ json: { ...json, text: json.text.replace('{', '{"colour":1,') } })`,
  ),
  'a property of another type': put(
    'return decode<Pet>(pet.json)',
    'decode<Pet>(pet.json)',
    '{ ...decode<Pet>(pet.json), id: String(petId) } as unknown as Pet',
  ),
  'JSON that is cut': put(
    'getPet: ({ petId',
    '{ json: pet.json,',
    '{ json: { ...pet.json, text: pet.json.text.slice(1) },',
  ),
  'a success instead of a 404': put('if (!pet)', /throw new HttpError.*/, "return { id: 1, name: '', categoryId: 1 };"),
  'another code for a status': put('if (!pet)', "new HttpError('not_found',", "new HttpError('unauthorized',"),
  'the code of another status': put(
    'if (!pet)',
    /new HttpError\('not_found', ([^)]*)\)/,
    "new HttpError('invalid_request', $1, { status: 404 })",
  ),

  // Lists.
  'a filter that is ignored': query(", ...(status && { filter: { property: 'status', value: status } })", ''),
  'a filter that knows one value': query('...(status &&', "...(status === 'sold' &&"),
  'a filter by another value': query('value: status', "value: status === 'pending' ? 'sold' : status"),
  'a cursor that is ignored': query('return { limit, after,', 'return { limit, after: 0,'),
  'a cursor that skips one': query('return { limit, after,', 'return { limit, after: after && after + 1,'),
  'a hidden bound of the cursor': query(
    'return { limit,',
    "if (after > 2 ** 40) throw new HttpError('invalid_request', 'Far.');\n  return { limit,",
  ),
  'a limit that is ignored': limit('20'),
  'a hidden limit of a page': limit('Math.min(limit, 50)'),
  'one element less': limit('Math.max(1, limit - 1)'),
  'one less where there is a filter': limit('status ? limit - 1 || 1 : limit'),
  'another default of a page': limit('limit === 20 ? 10 : limit'),
  'pages that are small': query('maxBytes: MAX_PAGE_BYTES', 'maxBytes: 300'),
  'another order': list(sorted, `${sorted}.reverse()`),
  'another order where there is a filter': list(sorted, `(input?.status ? ${sorted}.reverse() : ${sorted})`),
  'an element read otherwise than it is listed': put(
    'return decode<Pet>',
    'return decode<Pet>(pet.json)',
    "return { ...decode<Pet>(pet.json), name: 'pet' }",
  ),
  'a version that never changes': put('const current =', 'collection.version()', "'1'"),

  // Created elements.
  'an optional property dropped': creates(
    '({ status: _, ...pet }) => ({ id: (await pets().create({ ...pet })).id, ...pet })',
  ),
  'an optional property stored, but not answered': creates(
    '({ status, ...pet }) => ({ id: (await pets().create({ ...pet, ...(status && { status }) })).id, ...pet })',
  ),
  'an optional property answered, but not stored': creates(
    '({ status, ...pet }) => ({ id: (await pets().create({ ...pet })).id, ...pet, ...(status && { status }) })',
  ),
  'a property that nobody sent': stores("{ status: 'available' as const, ...sent }"),
  'text that is trimmed': stores('{ ...sent, name: sent.name.trim() }'),
  'text that is cut': stores('{ ...sent, name: sent.name.slice(0, 100) }'),
  'large integers rounded': stores('{ ...sent, categoryId: Number(sent.categoryId) }'),
  'a hidden limit of a text': rejects('pet.name.length > 200'),
  'an empty text refused': rejects("pet.name === ''"),
  'negative integers refused': rejects('pet.categoryId < 0'),
  'one value of an enumeration refused': rejects("pet.status === 'pending'"),
  'the same identifier for all': creates('(pet) => { await pets().create({ ...pet }); return { id: 1, ...pet }; }'),
  'nothing stored': creates('(pet) => ({ id: 1, ...pet })'),

  // Repeated requests.
  'a repetition without a property': creates(
    '(pet) => { const { json, isReplayed } = await pets().create({ ...pet }); return { ...decode<Pet>(json), ...(isReplayed && { status: undefined }) } as Pet; }',
  ),
  'a repetition without a property, as the store has it': put(
    'createPet: (pet',
    /\(\{ json \}\) => \(\{ json \}\)/,
    `({ json, isReplayed }) => ({ json: isReplayed ? { ...json, text: json.text.replace(/,"status":"\\w+"/, '') } : json })`,
  ),
});
