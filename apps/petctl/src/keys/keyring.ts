import type { Scheme } from './schemes.ts';

/** The keyring of the system, as far as petctl uses it. The package that reaches it is optional: it may not be there. */
export interface Keyring {
  get(account: string): string | undefined;
  set(account: string, credential: string): void;
  delete(account: string): void;
}

// The package would otherwise take the kernel's keyring where there is no Secret Service, which forgets at the next start.
const lasting = { linux: { store: 'secret-service' } } as const;

/** The keyring, or nothing where the system has none that lasts. */
export async function openKeyring(): Promise<Keyring | undefined> {
  try {
    const { Entry } = await import('@napi-rs/keyring');
    const entry = (account: string) => new Entry('petctl', account, lasting);
    // Asking for what is not there fails only where there is no keyring behind it.
    entry('petctl').getPassword();
    return {
      get: (account) => entry(account).getPassword() ?? undefined,
      set: (account, credential) => entry(account).setPassword(credential),
      delete: (account) => void entry(account).deletePassword(),
    };
  } catch {
    return undefined;
  }
}

/** The account that a credential is stored under. */
export function accountOf(
  { profile, origin }: { readonly profile: string; readonly origin: string },
  { name }: Scheme,
): string {
  return `${profile} ${origin} ${name}`;
}
