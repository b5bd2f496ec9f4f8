/** Uses the packages, however they were imported, against a server, and returns what came of it. */
export async function roundTrip({ petstore, NotFoundError }, { operations }, [baseUrl, apiKey]) {
  const api = petstore({ baseUrl, apiKey, on: { deprecated: false } });
  const added = [];
  for (const name of ['Rex', 'Tom', 'Ida']) added.push((await api.createPet({ name, categoryId: 1 })).id);
  const listed = [];
  // Other programs may add pets at the same time.
  for await (const { id, name } of api.listPets({ limit: 1, after: added[0] - 1 })) {
    if (added.includes(id)) listed.push(name);
    if (id === added.at(-1)) break;
  }
  const error = await api.getPet({ petId: 1_000_000 }).then(
    () => undefined,
    (reason) => reason,
  );
  const everything = Object.keys(operations).every((id) => typeof api[id] === 'function');
  const { code, status, requestId } = error;
  return { listed, everything, code, status, known: error instanceof NotFoundError, named: requestId.length > 0 };
}
