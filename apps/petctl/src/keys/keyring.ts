/** The keyring of the system, as far as petctl uses it. The package that reaches it is optional: it may not be there. */
export interface Keyring {
  get(origin: string): string | undefined;
  set(origin: string, key: string): void;
  delete(origin: string): void;
}

// The package would otherwise take the kernel's keyring where there is no Secret Service, which forgets at the next start.
const lasting = { linux: { store: 'secret-service' } } as const;

/** The keyring, or nothing where the system has none that lasts. */
export async function openKeyring(): Promise<Keyring | undefined> {
  try {
    const { Entry } = await import('@napi-rs/keyring');
    const entry = (origin: string) => new Entry('petctl', origin, lasting);
    // Asking for what is not there fails only where there is no keyring behind it.
    entry('petctl').getPassword();
    return {
      get: (origin) => entry(origin).getPassword() ?? undefined,
      set: (origin, key) => entry(origin).setPassword(key),
      delete: (origin) => void entry(origin).deletePassword(),
    };
  } catch {
    return undefined;
  }
}
