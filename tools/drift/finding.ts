/** Something that does not agree with the spec. */
export interface Finding {
  /** Which of the things that follow from the spec it is. */
  surface: Surface;
  where: string;
  /** What is there. */
  what: string;
  /** What the spec says. */
  spec: string;
  /** The command, or the step, that mends it. */
  mend: string;
}

export type Surface = 'spec' | 'generated' | 'routes' | 'motion' | 'client' | 'petctl' | 'docs' | 'versions' | 'future';

/** One surface's look at the repository. */
export type Check = () => Finding[] | Promise<Finding[]>;
