// What a page does with the client. It is bundled for the browser, and called by the test through the window.
import { ConnectionError, NotFoundError, petstore } from '@petstore/client';

const failed = (error: unknown) => ({
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
    return { page, all, failure: await api.getPet({ petId: 77 }).then(() => undefined, failed) };
  },

  refused: (baseUrl: string, apiKey: string) =>
    petstore({ baseUrl, apiKey, retry: 0 })
      .listPets()
      .then(() => undefined, failed),
};

export type Program = typeof program;
Object.assign(globalThis, { program });
