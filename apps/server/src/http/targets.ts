import type { Operation } from '@petstore/types';
import { MAX_READY_BYTES, MAX_TARGET_LENGTH, MAX_TARGETS } from '../limits.ts';
import type { Collection } from '../store/store.ts';
import { matchRoute, type RouteMatch } from './routes.ts';

/** Where a request leads. */
export interface Target {
  /** The path, normalized. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  readonly match: RouteMatch | undefined;
  isRemembered: boolean;
  accepted: Accepted | undefined;
  /** The version of the collection at the last response. */
  lastVersion: string | undefined;
  ready: ReadyResponse | undefined;
}

/** An operation whose checks the parameters of a target have passed, with the input that they are. */
interface Accepted {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A whole response. The next one differs in its date and in the identifier of its request, which have fixed lengths. */
export interface ReadyResponse {
  readonly operation: Operation;
  readonly status: number;
  readonly bytes: Buffer;
  readonly idAt: number;
  readonly dateAt: number;
  date: string;
  /** What it was read from. */
  readonly state: CollectionState;
}

/** A collection, with the version that it had before something was read from it. */
export interface CollectionState {
  readonly collection: Pick<Collection, 'version'>;
  readonly version: string | undefined;
}

/** What the normalized target of a request stands for. */
export function targetOf(text: string): Target {
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = mark < 0 ? '' : text.slice(mark + 1);
  const match = matchRoute(path);
  return { path, query, match, isRemembered: false, accepted: undefined, lastVersion: undefined, ready: undefined };
}

/** Targets that were accepted before, by their text, with their ready responses. Beyond the bounds the oldest are forgotten. */
export class Targets {
  readonly #byText = new Map<string, Target>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_READY_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** How many there are, and the bytes of their responses. */
  get size(): { targets: number; bytes: number } {
    return { targets: this.#byText.size, bytes: this.#bytes };
  }

  find(text: string): Target | undefined {
    return this.#byText.get(text);
  }

  /** Remembers a target whose request was accepted; its input only if nothing else of the request is part of it. */
  remember(text: string, target: Target, accepted?: Accepted): void {
    if (!target.isRemembered) {
      if (text.length > MAX_TARGET_LENGTH || this.#byText.has(text)) return;
      target.isRemembered = true;
      this.#byText.set(text, target);
      if (this.#byText.size > MAX_TARGETS) this.#forgetOldest();
    }
    target.accepted ??= accepted;
  }

  /** Gives a target a response, or takes it away. */
  setReady(target: Target, ready: ReadyResponse | undefined): void {
    if (!target.isRemembered) return;
    this.#bytes += (ready?.bytes.length ?? 0) - (target.ready?.bytes.length ?? 0);
    target.ready = ready;
    while (this.#bytes > this.#maxBytes) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const [text, target] of this.#byText) {
      this.#byText.delete(text);
      this.setReady(target, undefined);
      target.isRemembered = false;
      return;
    }
  }
}
