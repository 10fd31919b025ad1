/** {@code java -jar mayfly.jar}: the command {@code mayfly} and its agent, out of the jar. */
package io.mayfly.launcher;
