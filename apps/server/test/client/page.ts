// A program that uses the client in a page. The test bundles it for the browser and calls it through the window.
import { ConnectionError, NotFoundError, petstore } from '@petstore/client';

const errorOf = (error: unknown) => ({
  missing: error instanceof NotFoundError,
  unreachable: error instanceof ConnectionError,
  ...(error instanceof NotFoundError && { code: error.code, requestId: error.requestId }),
});

const program = {
  async everything(baseUrl: string, apiKey: string) {
    const api = petstore({ baseUrl, apiKey, on: { deprecated: false } });
    for (const name of ['Rex', 'Tom', 'Ida', 'Bo', 'Mia']) await api.createPet({ name, categoryId: 1 });
    const page = (await api.listPets({ limit: 2 })).map(({ name }) => name);
    const all: string[] = [];
    for await (const { name } of api.listPets({ limit: 2 })) all.push(name);
    return { page, all, failure: await api.getPet({ petId: 77 }).then(() => undefined, errorOf) };
  },

  rejectedByCors: (baseUrl: string, apiKey: string) =>
    petstore({ baseUrl, apiKey, retry: 0 })
      .listPets()
      .then(() => undefined, errorOf),
};

export type Program = typeof program;
Object.assign(globalThis, { program });
