/** Control of the Mayfly agent by the program it profiles. Harmless without the agent; no dependencies. */
package io.mayfly;
