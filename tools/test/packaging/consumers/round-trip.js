/** Uses the packages, however they were imported, against a service, and returns what came of it. */
export async function roundTrip(client, { fakePetstore }, baseUrl) {
  const { petstore, NotFoundError, PetstoreError, stringify } = client;
  const store = petstore({ baseUrl, apiKey: 'k', on: { deprecated: false } });
  const added = [];
  for (const categoryId of [1, 2n ** 60n, 3])
    added.push((await store.createPet({ name: 'Rex', categoryId })).id);
  const listed = [];
  // Other programs add pets at the same time.
  for await (const { id, categoryId } of store.listPets({ limit: 1, after: added[0] - 1 })) {
    if (added.includes(id)) listed.push(String(categoryId));
    if (id === added.at(-1)) break;
  }
  const pages = [];
  for await (const { data, hasMore } of store.listPets({ limit: 2 }).pages({ max: 2 }))
    pages.push([data.length, hasMore]);
  const { error } = await store.getPet({ petId: 1_000_000 }).outcome();
  const { name, code, attempts } = error;
  return {
    listed,
    name,
    code,
    attempts,
    known: error instanceof NotFoundError && error instanceof PetstoreError,
    pages,
    printed: stringify({ id: 2n ** 60n }),
    fake: await fakePetstore().store.listPets(),
  };
}
