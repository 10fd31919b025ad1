/** InMemProfiler's control API as a drop-in, on top of {@link io.mayfly.Mayfly}. */
package org.inmemprofiler.runtime;
