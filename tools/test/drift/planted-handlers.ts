import { edits, type PlantedDrift, put, source, swap } from './planting.ts';

/** Edits of a function of handlers.ts. */
const query = (find: string, by: string) => put('function queryOf', find, by);

/** Another limit of a page. */
const limit = (code: string) => query('return { limit,', `return { limit: ${code},`);

const created = 'stored(pets(), (pets) => pets.create({ ...pet }))';
const listed = 'stored(pets(), (pets) => pets.list(queryOf(input)))';
const read = 'stored(pets(), (pets) => pets.get(petId), noPet(petId))';

/** Another `createPet`. */
export const createPet = `createPet: (pet) => ${created}`;
const creates = (code: string) => swap(createPet, `createPet: async ${code}`);

/** Another `listPets`, which changes what the store has. */
const lists = (code: (page: string) => string) =>
  swap(`(input) => ${listed}`, `async (input) => ${code(`(await ${listed}).decode()`)}`);

/** `getPet` returns other properties. */
const reads = (properties: string) =>
  swap(`({ petId }) => ${read}`, `async ({ petId }) => ({ ...(await ${read}).decode(), ${properties} })`);

/** Other text than the store has. */
const texts = (access: string, text: string) =>
  swap(
    access,
    `Promise.resolve(${access}).then((found) => found && { ...found, json: { ...found.json, text: ${text} } })`,
  );

/** `createPet` stores and returns something else than `sent`. */
const stores = (code: string) =>
  creates(`(sent) => { const pet = ${code}; return { id: (await pets().create({ ...pet })).id, ...pet }; }`);

/** `createPet` rejects some pets. */
const rejects = (condition: string) =>
  creates(`(pet) => { if (${condition}) throw new HttpError('invalid_request', 'No.'); return ${created}; }`);

const late = "throw new Error('late');";

/** In the handlers: the running server shows them. */
export const plantedInHandlers: PlantedDrift[] = edits('conformance', source.handlers, {
  // Errors that are thrown outside of requests.
  'an error in a timer': put('export function handlers', 'return {', `setTimeout(() => { ${late} }, 1);\n  return {`),
  'an error behind a response': swap(read, `{ setImmediate(() => { ${late} }); return ${read}; }`),
  'an error at import': put('/** The operations', 'export', "throw new Error('early');\nexport"),

  // Results that are not declared.
  'a property that is not declared': creates(`(pet) => ({ ...(await ${created}).decode(), colour: 1 })`),
  'a property that is not declared, in the text of the store': texts(
    'pets.create({ ...pet })',
    `found.json.text.replace('{', '{"colour":1,')`,
  ),
  'a property of another type': reads('id: String(petId)'),
  'JSON that is truncated': texts('pets.get(petId)', 'found.json.text.slice(1)'),
  'a success instead of a 404': swap(
    `({ petId }) => ${read}`,
    `async ({ petId }) => (await pets().get(petId)) ? ${read} : { id: 1, name: '', categoryId: 1 }`,
  ),
  'another code for a status': put('const noPet', "new HttpError('not_found',", "new HttpError('unauthorized',"),
  'the code of another status': put(
    'const noPet',
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
  'pages that are small': query('limit, after,', 'limit, after, maxBytes: 300,'),
  'another order': lists((page) => `${page}.reverse()`),
  'another order where there is a filter': lists((page) => `(input?.status ? ${page}.reverse() : ${page})`),
  'an element read otherwise than it is listed': reads("name: 'pet'"),

  // Created elements.
  'an optional property dropped': creates(
    '({ status: _, ...pet }) => ({ id: (await pets().create({ ...pet })).id, ...pet })',
  ),
  'an optional property stored, but not returned': creates(
    '({ status, ...pet }) => ({ id: (await pets().create({ ...pet, ...(status && { status }) })).id, ...pet })',
  ),
  'an optional property returned, but not stored': creates(
    '({ status, ...pet }) => ({ id: (await pets().create({ ...pet })).id, ...pet, ...(status && { status }) })',
  ),
  'a property that nobody sent': stores("{ status: 'available' as const, ...sent }"),
  'text that is trimmed': stores('{ ...sent, name: sent.name.trim() }'),
  'text that is truncated': stores('{ ...sent, name: sent.name.slice(0, 100) }'),
  'large integers rounded': stores('{ ...sent, categoryId: Number(sent.categoryId) }'),
  'a hidden limit of a text': rejects('pet.name.length > 200'),
  'an empty text rejected': rejects("pet.name === ''"),
  'negative integers rejected': rejects('pet.categoryId < 0'),
  'one value of an enumeration rejected': rejects("pet.status === 'pending'"),
  'the same identifier for all': creates('(pet) => { await pets().create({ ...pet }); return { id: 1, ...pet }; }'),
  'nothing stored': creates('(pet) => ({ id: 1, ...pet })'),

  // Repeated requests.
  'a repetition without a property': creates(
    '(pet) => { const { id, isReplayed } = await pets().create({ ...pet }); return { id, ...pet, ...(isReplayed && { status: undefined }) }; }',
  ),
  'a repetition without a property, in the text of the store': texts(
    'pets.create({ ...pet })',
    `found.isReplayed ? found.json.text.replace(/,"status":"\\w+"/, '') : found.json.text`,
  ),
});

export const plantedInStored: PlantedDrift[] = edits('conformance', 'apps/server/src/store/stored.ts', {
  'a version that never changes': swap('collection.version()', "'1'"),
});
