import { rm } from 'node:fs/promises';
import { Low } from 'lowdb';
import { isDiskFull } from '../errors.ts';
import type { OpenSegment } from './open-segment.ts';
import { sealedSegment } from './sealed-segment.ts';
import type { Shelf } from './shelf.ts';

/** A segment that takes no more animals. */
export interface FullSegment {
  segment: OpenSegment;
  shelf: Shelf;
}

/**
 * Turns full segments into sealed ones, one at a time, beside the commits. Nothing depends on when that happens: until
 * then the open form holds every animal. So a full disk only puts it off until the next one is full.
 */
export class Sealing {
  readonly #failed: (error: unknown) => void;
  readonly #full: FullSegment[] = [];
  #running: Promise<void> | undefined;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Takes a segment. There must be one behind it on disk by now: a sealed segment is never the last. */
  add(full: FullSegment): void {
    this.#full.push(full);
    this.#running ??= this.#run();
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      for (let full = this.#full[0]; full; full = this.#full[0]) {
        await seal(full);
        this.#full.shift();
      }
    } catch (error) {
      if (!isDiskFull(error)) this.#failed(error);
    } finally {
      this.#running = undefined;
    }
  }
}

async function seal({ segment, shelf }: FullSegment): Promise<void> {
  await segment.close();
  await new Low(sealedSegment(segment.sealedFile, shelf.first), shelf).write();
  await rm(segment.file, { force: true });
}
