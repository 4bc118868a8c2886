import { Injectable } from '@nestjs/common';
import type { SealedText, Sealer } from '@spandrel/kernel';
import { KeyRing } from './key-ring.js';
import { forMasking, seal, unseal, UnsealError } from './sealing.js';

/** Seals the keys that texts are masked with as keys of connections are sealed (docs/spec/masking.md#the-key-of-hashes). */
@Injectable()
export class MaskingSealer implements Sealer {
  constructor(private readonly ring: KeyRing) {}

  seal(text: string, projectId: string): SealedText {
    return seal(text, this.ring.current, forMasking(projectId));
  }

  unseal(sealed: SealedText, projectId: string): string | undefined {
    try {
      return unseal(sealed, this.ring, forMasking(projectId));
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }
}
