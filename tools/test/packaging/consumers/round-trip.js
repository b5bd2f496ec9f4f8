/** What a program does with the packages, however it came by them: the address of a server goes in, what it saw comes out. */
export async function roundTrip({ petstore, NotFoundError }, { checkAnswers }, { operations }, [baseUrl, apiKey]) {
  const api = petstore({ baseUrl, apiKey, check: checkAnswers, on: { deprecated: false } });
  const added = [];
  for (const name of ['Rex', 'Tom', 'Ida']) added.push((await api.createPet({ name, categoryId: 1 })).id);
  const listed = [];
  // Others may add animals meanwhile.
  for await (const { id, name } of api.listPets({ limit: 1, after: added[0] - 1 })) {
    if (added.includes(id)) listed.push(name);
    if (id === added.at(-1)) break;
  }
  const failure = await api.getPet({ petId: 1_000_000 }).then(
    () => undefined,
    (error) => error,
  );
  const everything = Object.keys(operations).every((id) => typeof api[id] === 'function');
  const { code, status, requestId } = failure;
  return { listed, everything, code, status, known: failure instanceof NotFoundError, named: requestId.length > 0 };
}
